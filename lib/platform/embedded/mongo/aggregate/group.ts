import { decodeDocument } from "../bson/codec.ts";
import { compareValues } from "../bson/compare.ts";
import { encodeKey } from "../bson/keys.ts";
import { type Doc, isDoc, isNumber, toDouble, toWholeNumber, typeName, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { average, deviation, Sum } from "../expressions/accumulators.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Env, Evaluator, Variables } from "../expressions/scope.ts";
import { isNullish } from "../expressions/truth.ts";
import { compareSortValues, parseSort, type SortKey, sortValues } from "../query/sort.ts";
import { PAUSE, sortByTurns } from "../scheduling/flow.ts";
import { ExternalSorter } from "../storage/spill.ts";
import { type Item, type Items, rowOfItem } from "./items.ts";

/** Accumulates the values of one group. */
export type Accumulator = { add: (env: Env) => void; value: () => Value | undefined };
export type AccumulatorFactory = () => Accumulator;

/** MongoDB's memory limit of a stage. */
const MAX_GROUP_BYTES = 100 * 1024 * 1024;
/** Assumed memory overhead of a group or a value, in bytes; a rough estimate. */
const ENTRY_BYTES = 100;

/** Rows of a bucket between two pauses. */
const ROWS_PER_TURN = 256;

/** Memory that the groups in memory use. */
type Spending = { bytes: number };

function spend(spending: Spending, bytes: number): void {
  spending.bytes += bytes;
}

type Compiler = (argument: Value, variables: Variables, spending: Spending) => AccumulatorFactory;

function ofValues(make: () => { add: (value: Value | undefined) => void; value: () => Value | undefined }): Compiler {
  return (argument, variables) => {
    const evaluate = compileExpression(argument, variables);
    return () => {
      const state = make();
      return { add: (env) => state.add(evaluate(env)), value: () => state.value() };
    };
  };
}

function extreme(direction: 1 | -1): Compiler {
  return ofValues(() => {
    let chosen: Value | undefined;
    return {
      add: (value) => {
        if (value === undefined || isNullish(value)) return;
        if (chosen === undefined || compareValues(value, chosen) * direction > 0) chosen = value;
      },
      value: () => chosen ?? null,
    };
  });
}

function deviationOf(isSample: boolean): Compiler {
  return ofValues(() => {
    const numbers: number[] = [];
    return {
      add: (value) => {
        if (isNumber(value)) numbers.push(toDouble(value));
      },
      value: () => deviation(numbers, isSample),
    };
  });
}

const collect =
  (isSet: boolean): Compiler =>
  (argument, variables, spending) => {
    const evaluate = compileExpression(argument, variables);
    return () => {
      const values: Value[] = [];
      const seen = new Set<string>();
      return {
        add: (env) => {
          const value = evaluate(env);
          if (value === undefined) return;
          if (isSet) {
            const id = encodeKey(value).toString("latin1");
            if (seen.has(id)) return;
            seen.add(id);
          }
          spend(spending, sizeOf(value));
          values.push(value);
        },
        value: () => values,
      };
    };
  };

/** Returns the approximate size of a value in memory, in bytes. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return ENTRY_BYTES + value.length;
  if (value instanceof Map) {
    let bytes = ENTRY_BYTES;
    for (const item of value.values()) bytes += sizeOf(item);
    return bytes;
  }
  return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + sizeOf(item), ENTRY_BYTES) : 16;
}

function countOf(name: string, n: Value | undefined, variables: Variables): Evaluator {
  if (n === undefined) throw new StoreError(5787906, `Missing value for 'n' of ${name}`);
  return compileExpression(n, variables);
}

function checkCount(name: string, value: Value | undefined): number {
  const n = toWholeNumber(value);
  if (n === undefined || n < 1) throw new StoreError(5787908, `'n' must be a positive integer for ${name}`);
  return n;
}

type Ranked = { by: Value[]; place: number; output: Value };

/** Compiles `$firstN`, `$lastN`, `$minN`, `$maxN`, and with a sort `$top`, `$topN`, `$bottom`, `$bottomN`. */
function several(name: string): Compiler {
  return (argument, variables, spending) => {
    if (!isDoc(argument))
      throw new StoreError(5787801, `specification must be an object; found ${name}: ${typeName(argument)}`);
    const isRanked = /top|bottom/.test(name);
    const isOne = name === "$top" || name === "$bottom";
    const allowed = isRanked ? ["sortBy", "output", ...(isOne ? [] : ["n"])] : ["input", "n"];
    for (const key of argument.keys())
      if (!allowed.includes(key)) throw new StoreError(5787901, `Unknown argument for ${name}: ${key}`);
    const source = argument.get(isRanked ? "output" : "input");
    if (source === undefined)
      throw new StoreError(5787907, `Missing value for '${isRanked ? "output" : "input"}' of ${name}`);
    const evaluate = compileExpression(source, variables);
    const n = isOne ? undefined : countOf(name, argument.get("n"), variables);
    const by = argument.get("sortBy");
    if (isRanked && !isDoc(by)) throw new StoreError(5788004, `Missing value for 'sortBy' of ${name}`);
    const keys: SortKey[] = isDoc(by) ? parseSort(by) : [];
    return () => {
      let limit = 1;
      let place = 0;
      let kept: Ranked[] = [];
      const direction = name.startsWith("$max") || name.startsWith("$bottom") ? -1 : 1;
      const compare = (a: Ranked, b: Ranked): number => {
        if (isRanked) return compareSortValues(a.by, b.by, keys) || a.place - b.place;
        if (name === "$minN" || name === "$maxN") return compareValues(a.output, b.output) * direction;
        return a.place - b.place;
      };
      const trim = (): void => {
        kept.sort(compare);
        kept = name.startsWith("$bottom") || name === "$lastN" ? kept.slice(-limit) : kept.slice(0, limit);
      };
      return {
        add: (env) => {
          if (n !== undefined) limit = checkCount(name, n(env));
          const output = evaluate(env);
          if ((name === "$minN" || name === "$maxN") && isNullish(output)) return;
          kept.push({ by: isRanked ? sortValues(env.root, keys) : [], place: place++, output: output ?? null });
          spend(spending, kept.length > limit * 2 + 100 ? 0 : 16);
          if (kept.length > limit * 2 + 100) trim();
        },
        value: () => {
          trim();
          return isOne ? (kept[0]?.output ?? null) : kept.map(({ output }) => output);
        },
      };
    };
  };
}

const ACCUMULATORS = new Map<string, Compiler>([
  [
    "$sum",
    ofValues(() => {
      const sum = new Sum();
      return { add: (value) => sum.add(value), value: () => sum.value() };
    }),
  ],
  [
    "$avg",
    ofValues(() => {
      const sum = new Sum();
      let count = 0;
      return {
        add: (value) => {
          if (!isNumber(value)) return;
          sum.add(value);
          count++;
        },
        value: () => average(sum.value(), count),
      };
    }),
  ],
  ["$min", extreme(-1)],
  ["$max", extreme(1)],
  ["$push", collect(false)],
  ["$addToSet", collect(true)],
  [
    "$first",
    ofValues(() => {
      let isSet = false;
      let first: Value | undefined;
      return {
        add: (value) => {
          if (!isSet) first = value;
          isSet = true;
        },
        value: () => first ?? null,
      };
    }),
  ],
  [
    "$last",
    ofValues(() => {
      let last: Value | undefined;
      return {
        add: (value) => {
          last = value;
        },
        value: () => last ?? null,
      };
    }),
  ],
  [
    "$count",
    (argument) => {
      if (!isDoc(argument) || argument.size > 0)
        throw new StoreError("TypeMismatch", "$count takes no arguments, i.e. $count:{}");
      return () => {
        let count = 0;
        return { add: () => void count++, value: () => count };
      };
    },
  ],
  [
    "$mergeObjects",
    ofValues(() => {
      const merged: Doc = new Map();
      return {
        add: (value) => {
          if (isNullish(value)) return;
          if (!isDoc(value))
            throw new StoreError(
              40400,
              `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`,
            );
          for (const [name, item] of value) merged.set(name, item);
        },
        value: () => merged,
      };
    }),
  ],
  ["$stdDevPop", deviationOf(false)],
  ["$stdDevSamp", deviationOf(true)],
  ...["$firstN", "$lastN", "$minN", "$maxN", "$top", "$topN", "$bottom", "$bottomN"].map((name): [string, Compiler] => [
    name,
    several(name),
  ]),
]);

/** @throws StoreError 15952 for an unknown accumulator */
export function compileAccumulator(
  field: string,
  spec: Value,
  variables: Variables,
  spending: Spending = { bytes: 0 },
): AccumulatorFactory {
  if (!isDoc(spec)) throw new StoreError(40234, `The field '${field}' must be an accumulator object`);
  if (spec.size !== 1) throw new StoreError(40238, `The field '${field}' must specify one accumulator`);
  const [[name, argument]] = [...spec] as [[string, Value]];
  const compiler = ACCUMULATORS.get(name);
  if (compiler === undefined) throw new StoreError(15952, `unknown group operator '${name}'`);
  return compiler(argument, variables, spending);
}

/**
 * Compiles `$group`.
 * @param disk the store's file, if groups that do not fit in memory may be spilled beside it
 */
export function compileGroup(spec: Value, variables: Variables, disk?: string): (input: Items) => Items {
  if (!isDoc(spec)) throw new StoreError(15947, "a group's fields must be specified in an object");
  const id = spec.get("_id");
  if (id === undefined) throw new StoreError(15955, "a group specification must include an _id");
  const evaluateId = compileExpression(id, variables);
  const spending: Spending = { bytes: 0 };
  const fields: [string, AccumulatorFactory][] = [];
  for (const [name, value] of spec) {
    if (name === "_id") continue;
    if (name.includes(".")) throw new StoreError(40235, `The field name '${name}' cannot contain '.'`);
    if (name.startsWith("$")) throw new StoreError(40236, `The field name '${name}' cannot be an operator name`);
    fields.push([name, compileAccumulator(name, value, variables, spending)]);
  }
  type Group = { id: Value; states: Accumulator[] };
  return function* group(input) {
    spending.bytes = 0;
    const groups = new Map<string, Group>();
    const take = (key: string, doc: Doc): void => {
      const env: Env = { root: doc, current: doc, scope: variables.scope };
      let found = groups.get(key);
      if (found === undefined) {
        spend(spending, ENTRY_BYTES + key.length);
        found = { id: evaluateId(env) ?? null, states: fields.map(([, make]) => make()) };
        groups.set(key, found);
      }
      for (const state of found.states) state.add(env);
    };
    let sorter: ExternalSorter | undefined;
    try {
      for (const item of input) {
        if (item === PAUSE) {
          yield PAUSE;
          continue;
        }
        // Missing and null are one group, as in MongoDB.
        const id = evaluateId({ root: item.doc, current: item.doc, scope: variables.scope }) ?? null;
        const key = encodeKey(id);
        if (sorter !== undefined) {
          yield* sorter.add(key, rowOfItem(item));
          continue;
        }
        take(key.toString("latin1"), item.doc);
        if (spending.bytes <= MAX_GROUP_BYTES) continue;
        if (disk === undefined) throw groupTooLarge();
        // From now on, documents are spilled and sorted by group. Groups in memory are kept and completed when their
        // turn comes.
        sorter = new ExternalSorter(disk);
      }
      if (sorter !== undefined) {
        let current: string | undefined;
        for (const item of sorter.sorted()) {
          if (item === PAUSE) {
            yield PAUSE;
            continue;
          }
          const key = item.key.toString("latin1");
          if (current !== undefined && key !== current) yield finished(current);
          if (key !== current) spending.bytes = 0;
          current = key;
          take(key, decodeDocument(item.row.bytes));
          if (spending.bytes > MAX_GROUP_BYTES) throw oneTooLarge();
        }
        if (current !== undefined) yield finished(current);
      }
      for (const key of groups.keys()) yield finished(key);
    } finally {
      sorter?.close();
    }

    function finished(key: string): Item {
      const { id, states } = groups.get(key) as Group;
      groups.delete(key);
      return { doc: assemble(id, fields, states) };
    }
  };
}

function groupTooLarge(): StoreError {
  return new StoreError(
    "QueryExceededMemoryLimitNoDiskUseAllowed",
    `Exceeded memory limit of ${MAX_GROUP_BYTES} bytes for $group, but did not allow external sort. Pass allowDiskUse:true to opt in.`,
  );
}

function oneTooLarge(): StoreError {
  return new StoreError(
    "ExceededMemoryLimit",
    `One group of $group uses more than ${MAX_GROUP_BYTES} bytes, which no disk makes good. Collect less in it.`,
  );
}

/** Compiles `$bucket`: groups by boundaries, in their order, as in MongoDB. */
export function compileBucket(spec: Value, variables: Variables): (input: Items) => Items {
  if (!isDoc(spec)) throw new StoreError(40201, "Argument to $bucket stage must be an object");
  for (const name of spec.keys()) {
    if (!["groupBy", "boundaries", "default", "output"].includes(name))
      throw new StoreError(40197, `Unrecognized option to $bucket: ${name}.`);
  }
  const groupBy = spec.get("groupBy");
  const boundaries = spec.get("boundaries");
  if (groupBy === undefined || boundaries === undefined)
    throw new StoreError(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  if (!Array.isArray(boundaries)) throw new StoreError(40200, "The $bucket 'boundaries' field must be an array");
  if (boundaries.length < 2) throw new StoreError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  for (let i = 1; i < boundaries.length; i++) {
    if (compareValues(boundaries[i - 1] as Value, boundaries[i] as Value) >= 0)
      throw new StoreError(40194, "The 'boundaries' option to $bucket must be sorted");
  }
  const fallback = spec.get("default");
  const evaluate = compileExpression(groupBy, variables);
  const output = spec.get("output") ?? new Map<string, Value>([["count", new Map<string, Value>([["$sum", 1]])]]);
  if (!isDoc(output)) throw new StoreError(40196, "The $bucket 'output' field must be an object");
  const fields = [...output].map(([name, value]): [string, AccumulatorFactory] => [
    name,
    compileAccumulator(name, value, variables),
  ]);
  return function* bucket(input) {
    const buckets = new Map<number, Accumulator[]>();
    for (const item of input) {
      if (item === PAUSE) {
        yield PAUSE;
        continue;
      }
      const env: Env = { root: item.doc, current: item.doc, scope: variables.scope };
      const value = evaluate(env) ?? null;
      let at = boundaries.findLastIndex((boundary) => compareValues(value, boundary) >= 0);
      if (at < 0 || at === boundaries.length - 1) {
        if (fallback === undefined)
          throw new StoreError(
            40066,
            "$switch could not find a matching branch for an input, and no default was specified.",
          );
        at = -1;
      }
      let states = buckets.get(at);
      if (states === undefined) {
        states = fields.map(([, make]) => make());
        buckets.set(at, states);
      }
      for (const state of states) state.add(env);
    }
    const rows = [...buckets].map(([at, states]): [Value, Accumulator[]] => [
      at < 0 ? (fallback ?? null) : (boundaries[at] as Value),
      states,
    ]);
    rows.sort(([a], [b]) => compareValues(a, b));
    for (const [id, states] of rows) yield { doc: assemble(id, fields, states) };
  };
}

function assemble(id: Value, fields: readonly [string, AccumulatorFactory][], states: readonly Accumulator[]): Doc {
  const doc: Doc = new Map([["_id", id]]);
  fields.forEach(([name], i) => {
    const value = states[i]?.value();
    if (value !== undefined) doc.set(name, value);
  });
  return doc;
}

/** Compiles `$bucketAuto` without granularity: buckets with counts as equal as the values allow. */
export function compileBucketAuto(spec: Value, variables: Variables): (input: Items) => Items {
  if (!isDoc(spec)) throw new StoreError(40240, "The argument to $bucketAuto must be an object");
  for (const name of spec.keys()) {
    if (!["groupBy", "buckets", "output"].includes(name))
      throw new StoreError(
        40245,
        `Unrecognized option to $bucketAuto: ${name}, or one that this store does not support.`,
      );
  }
  const groupBy = spec.get("groupBy");
  const count = toWholeNumber(spec.get("buckets"));
  if (groupBy === undefined || count === undefined || count < 1)
    throw new StoreError(
      40246,
      "$bucketAuto requires 'groupBy' and 'buckets' to be specified, 'buckets' greater than 0",
    );
  const evaluate = compileExpression(groupBy, variables);
  const output = spec.get("output") ?? new Map<string, Value>([["count", new Map<string, Value>([["$sum", 1]])]]);
  if (!isDoc(output)) throw new StoreError(40244, "The $bucketAuto 'output' field must be an object");
  const fields = [...output].map(([name, value]): [string, AccumulatorFactory] => [
    name,
    compileAccumulator(name, value, variables),
  ]);
  return function* bucketAuto(input) {
    const taken: { value: Value; env: Env }[] = [];
    for (const item of input) {
      if (item === PAUSE) yield PAUSE;
      else {
        const env: Env = { root: item.doc, current: item.doc, scope: variables.scope };
        taken.push({ value: evaluate(env) ?? null, env });
      }
    }
    const rows = yield* sortByTurns(taken, (a, b) => compareValues(a.value, b.value));
    let from = 0;
    let left = count;
    while (from < rows.length && left > 0) {
      let to = Math.min(rows.length, from + Math.max(1, Math.round((rows.length - from) / left)));
      if (left === 1) to = rows.length;
      while (to < rows.length && compareValues(rows[to - 1]?.value ?? null, rows[to]?.value ?? null) === 0) to++;
      const states = fields.map(([, make]) => make());
      for (const [i, { env }] of rows.slice(from, to).entries()) {
        if (i % ROWS_PER_TURN === 0) yield PAUSE;
        for (const state of states) state.add(env);
      }
      const max = rows[to]?.value ?? rows.at(-1)?.value ?? null;
      const id: Doc = new Map<string, Value>([
        ["min", rows[from]?.value ?? null],
        ["max", max],
      ]);
      yield { doc: assemble(id, fields, states) };
      from = to;
      left--;
    }
  };
}
