import { areEqual, compareValues } from "../bson/compare.ts";
import { encodeKey } from "../bson/keys.ts";
import { isInt32, isNumber, toWholeNumber, typeName, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { spend } from "../scheduling/effort.ts";
import { type Argument, argumentList, checkNames, fixed, named, ranged, requireDoc, variadic } from "./arguments.ts";
import { checkVariableName } from "./logic.ts";
import { bind, type Evaluator, type Operator } from "./scope.ts";
import { isNullish, isTrueInAggregation } from "./truth.ts";

function asArray(name: string, value: Argument, code = 28651): Value[] {
  if (!Array.isArray(value))
    throw new StoreError(code, `${name}'s argument must be an array, but is ${typeName(value)}`);
  return value;
}

/** Returns the name of the element's variable, which must be a constant. */
function elementName(operator: string, value: Value | undefined): string {
  if (value === undefined) return "this";
  if (typeof value !== "string") throw new StoreError("TypeMismatch", `${operator}'s 'as' must be a string`);
  return checkVariableName(value);
}

const map: Operator = (argument, compile, name) => {
  const doc = requireDoc(name, argument);
  checkNames(name, doc, ["input", "as", "in"]);
  const body = doc.get("in");
  const from = doc.get("input");
  if (from === undefined) throw new StoreError(16880, "Missing 'input' parameter to $map");
  if (body === undefined) throw new StoreError(16882, "Missing 'in' parameter to $map");
  const as = elementName(name, doc.get("as"));
  const input = compile(from);
  const evaluate = compile(body, [as]);
  return (env) => {
    const value = input(env);
    if (isNullish(value)) return null;
    if (!Array.isArray(value)) throw new StoreError(16883, `input to $map must be an array not ${typeName(value)}`);
    return value.map((item) => {
      spend(1);
      return evaluate({ ...env, scope: bind(env.scope, as, item) }) ?? null;
    });
  };
};

const filter: Operator = (argument, compile, name) => {
  const doc = requireDoc(name, argument);
  for (const key of doc.keys()) {
    if (!["input", "as", "cond", "limit"].includes(key))
      throw new StoreError(28647, `Unrecognized parameter to $filter: ${key}`);
  }
  const test = doc.get("cond");
  const from = doc.get("input");
  if (from === undefined) throw new StoreError(28648, "Missing 'input' parameter to $filter");
  if (test === undefined) throw new StoreError(28650, "Missing 'cond' parameter to $filter");
  const as = elementName(name, doc.get("as"));
  const input = compile(from);
  const evaluate = compile(test, [as]);
  const most = doc.get("limit");
  const limitOf = most === undefined ? undefined : compile(most);
  return (env) => {
    const value = input(env);
    if (isNullish(value)) return null;
    if (!Array.isArray(value)) throw new StoreError(28651, `input to $filter must be an array not ${typeName(value)}`);
    let limit = Number.POSITIVE_INFINITY;
    const given = limitOf?.(env);
    if (!isNullish(given)) {
      const n = toWholeNumber(given);
      if (n === undefined || n < 1)
        throw new StoreError(327392, "$filter: limit must be represented as a 32-bit integral value of at least 1");
      limit = n;
    }
    const kept: Value[] = [];
    for (const item of value) {
      if (kept.length >= limit) break;
      spend(1);
      if (isTrueInAggregation(evaluate({ ...env, scope: bind(env.scope, as, item) }))) kept.push(item);
    }
    return kept;
  };
};

const reduce: Operator = (argument, compile, name) => {
  const doc = requireDoc(name, argument);
  const body = doc.get("in");
  const { input, initialValue } = named(
    name,
    argument,
    (value) => (value === body ? () => null : compile(value)),
    ["input", "initialValue", "in"],
    [],
  );
  const evaluate = compile(body as Value, ["this", "value"]);
  return (env) => {
    const value = input(env);
    if (isNullish(value)) return null;
    if (!Array.isArray(value))
      throw new StoreError(40080, `$reduce requires that 'input' be an array, found: ${typeName(value)}`);
    let result = initialValue(env);
    for (const item of value) {
      spend(1);
      result = evaluate({ ...env, scope: bind(bind(env.scope, "value", result), "this", item) });
    }
    return result;
  };
};

const zip: Operator = (argument, compile, name) => {
  const doc = requireDoc(name, argument);
  checkNames(name, doc, ["inputs", "useLongestLength", "defaults"]);
  const inputs = doc.get("inputs");
  if (!Array.isArray(inputs) || inputs.length === 0)
    throw new StoreError(34461, "inputs must be an array of expressions, found: none");
  const isLongest = doc.get("useLongestLength") === true;
  const given = doc.get("defaults");
  if (given !== undefined && !isLongest)
    throw new StoreError(34466, "cannot specify defaults unless useLongestLength is true");
  const sources = inputs.map((item) => compile(item));
  const fallbacks = Array.isArray(given) ? given.map((item) => compile(item)) : [];
  return (env) => {
    const lists: Value[][] = [];
    for (const source of sources) {
      const value = source(env);
      if (isNullish(value)) return null;
      if (!Array.isArray(value))
        throw new StoreError(34468, `$zip found a non-array expression in input: ${typeName(value)}`);
      lists.push(value);
    }
    const lengths = lists.map((list) => list.length);
    const length = isLongest ? Math.max(...lengths) : Math.min(...lengths);
    return Array.from({ length }, (_, i) => {
      spend(lists.length);
      return lists.map((list, which) => list[i] ?? fallbacks[which]?.(env) ?? null);
    });
  };
};

const slice = ranged(2, 3, ([value, second, third]) => {
  if (isNullish(value) || isNullish(second) || (third !== undefined && isNullish(third))) return null;
  const list = asArray("$slice", value, 28724);
  const first = toWholeNumber(second);
  if (first === undefined)
    throw new StoreError(
      28725,
      `Second argument to $slice must be a numeric value, but is of type: ${typeName(second)}`,
    );
  if (third === undefined) return first >= 0 ? list.slice(0, first) : list.slice(first);
  const count = toWholeNumber(third);
  if (count === undefined)
    throw new StoreError(28727, `Third argument to $slice must be numeric, but is of type: ${typeName(third)}`);
  if (count <= 0) throw new StoreError(28729, `Third argument to $slice must be positive: ${count}`);
  const start = first >= 0 ? first : Math.max(0, list.length + first);
  return list.slice(start, start + count);
});

/** Maximum length of a `$range`; MongoDB has a memory limit of 100 MB instead. */
const MAX_RANGE = 1_000_000;

const range = ranged(2, 3, ([from, to, by]) => {
  const [start, end, step] = [from, to, by === undefined ? 1 : by].map((value, i) => {
    const n = toWholeNumber(value);
    if (n === undefined || !isInt32(n))
      throw new StoreError(
        34443 + i * 2,
        `$range requires a numeric argument that can be represented as a 32-bit integer, found ${typeName(value)}`,
      );
    return n;
  }) as [number, number, number];
  if (step === 0) throw new StoreError(34449, "$range requires a non-zero step value");
  const count = Math.max(0, Math.ceil((end - start) / step));
  if (count > MAX_RANGE) throw new StoreError("ExceededMemoryLimit", "$range would use too much memory");
  return Array.from({ length: count }, (_, i) => start + i * step);
});

const arrayElemAt = fixed(2, (value, position) => {
  if (isNullish(value) || isNullish(position)) return null;
  if (!Array.isArray(value))
    throw new StoreError(28689, `$arrayElemAt's first argument must be an array, but is ${typeName(value)}`);
  if (!isNumber(position))
    throw new StoreError(28690, `$arrayElemAt's second argument must be a numeric value, but is ${typeName(position)}`);
  const i = toWholeNumber(position);
  if (i === undefined)
    throw new StoreError(28691, "$arrayElemAt's second argument must be representable as a 32-bit integer");
  return value.at(i);
});

const indexOfArray = ranged(2, 4, ([value, wanted, from, to]) => {
  if (isNullish(value)) return null;
  if (!Array.isArray(value))
    throw new StoreError(40090, `$indexOfArray requires an array as a first argument, found: ${typeName(value)}`);
  const start = from === undefined ? 0 : toWholeNumber(from);
  const end = to === undefined ? value.length : toWholeNumber(to);
  if (start === undefined || end === undefined || start < 0 || end < 0) {
    throw new StoreError(40097, "$indexOfArray requires a nonnegative integral starting and ending index");
  }
  for (let i = start; i < Math.min(end, value.length); i++) {
    spend(1);
    if (wanted !== undefined && areEqual(value[i] as Value, wanted)) return i;
  }
  return -1;
});

function someOf(name: "$firstN" | "$lastN" | "$maxN" | "$minN"): [string, Operator] {
  return [
    name,
    (argument, compile) => {
      const { n, input } = named(name, argument, compile, ["n", "input"], []);
      return (env) => {
        const count = toWholeNumber(n(env));
        if (count === undefined || count < 1)
          throw new StoreError(5787908, `'n' must be greater than 0 and an integer`);
        const value = input(env);
        if (!Array.isArray(value)) throw new StoreError(5788200, `Input must be an array for ${name}`);
        if (name === "$firstN") return value.slice(0, count);
        if (name === "$lastN") return value.slice(-count);
        const direction = name === "$maxN" ? -1 : 1;
        return value
          .filter((item) => !isNullish(item))
          .sort((a, b) => {
            spend(1);
            return compareValues(a, b) * direction;
          })
          .slice(0, count);
      };
    },
  ];
}

/** Returns the distinct values, in order. */
export function unique(values: readonly Value[]): Value[] {
  const seen = new Map<string, Value>();
  for (const value of values) {
    const id = encodeKey(value).toString("latin1");
    if (!seen.has(id)) seen.set(id, value);
  }
  return [...seen.values()];
}

function idsOf(values: readonly Value[]): Set<string> {
  return new Set(values.map((value) => encodeKey(value).toString("latin1")));
}

function sets(name: string, values: Argument[], code: number): Value[][] | null {
  const lists: Value[][] = [];
  for (const value of values) {
    if (isNullish(value)) return null;
    if (!Array.isArray(value))
      throw new StoreError(code, `All operands of ${name} must be arrays. One argument is of type: ${typeName(value)}`);
    lists.push(value);
  }
  return lists;
}

function allOrAny(name: "$allElementsTrue" | "$anyElementTrue", code: number): [string, Operator] {
  return [
    name,
    fixed(1, (value) => {
      const list = asArray(name, value, code);
      return name === "$allElementsTrue" ? list.every(isTrueInAggregation) : list.some(isTrueInAggregation);
    }),
  ];
}

/** Creates `$first` and `$last` of an array; the accumulators of `$group` are separate. */
function end(name: "$first" | "$last"): [string, Operator] {
  return [
    name,
    (argument, compile) => {
      const list = argumentList(argument);
      if (list.length !== 1)
        throw new StoreError(16020, `Expression ${name} takes exactly 1 arguments. ${list.length} were passed in.`);
      const evaluate = compile(list[0] as Value) as Evaluator;
      return (env) => {
        const value = evaluate(env);
        if (isNullish(value)) return null;
        return asArray(name, value, 28689).at(name === "$first" ? 0 : -1);
      };
    },
  ];
}

export const arrayOperators: [string, Operator][] = [
  ["$map", map],
  ["$filter", filter],
  ["$reduce", reduce],
  ["$zip", zip],
  ["$slice", slice],
  ["$range", range],
  ["$arrayElemAt", arrayElemAt],
  ["$indexOfArray", indexOfArray],
  someOf("$firstN"),
  someOf("$lastN"),
  someOf("$maxN"),
  someOf("$minN"),
  end("$first"),
  end("$last"),
  ["$isArray", fixed(1, (value) => Array.isArray(value))],
  [
    "$size",
    fixed(1, (value) => {
      if (!Array.isArray(value))
        throw new StoreError(17124, `The argument to $size must be an array, but was of type: ${typeName(value)}`);
      return value.length;
    }),
  ],
  [
    "$in",
    fixed(2, (value, list) => {
      if (!Array.isArray(list))
        throw new StoreError(40081, `$in requires an array as a second argument, found: ${typeName(list)}`);
      return value !== undefined && list.some((item) => areEqual(item, value));
    }),
  ],
  [
    "$concatArrays",
    variadic((values) => {
      const joined: Value[] = [];
      for (const value of values) {
        if (isNullish(value)) return null;
        if (!Array.isArray(value))
          throw new StoreError(28664, `$concatArrays only supports arrays, not ${typeName(value)}`);
        for (const item of value) joined.push(item);
      }
      return joined;
    }),
  ],
  [
    "$reverseArray",
    fixed(1, (value) => {
      if (isNullish(value)) return null;
      return [...asArray("$reverseArray", value, 34435)].reverse();
    }),
  ],
  [
    "$setUnion",
    variadic((values) => {
      const lists = sets("$setUnion", values, 17043);
      return lists === null ? null : unique(lists.flat(1));
    }),
  ],
  [
    "$setIntersection",
    variadic((values) => {
      const lists = sets("$setIntersection", values, 17047);
      if (lists === null) return null;
      const [first = [], ...others] = lists;
      const ids = others.map(idsOf);
      return unique(first).filter((item) => ids.every((set) => set.has(encodeKey(item).toString("latin1"))));
    }),
  ],
  [
    "$setDifference",
    fixed(2, (a, b) => {
      const lists = sets("$setDifference", [a, b], 17048);
      if (lists === null) return null;
      const ids = idsOf(lists[1] ?? []);
      return unique(lists[0] ?? []).filter((item) => !ids.has(encodeKey(item).toString("latin1")));
    }),
  ],
  [
    "$setEquals",
    variadic((values) => {
      const ids = values.map((value) => [...idsOf(asArray("$setEquals", value, 17044))].sort().join("|"));
      return ids.every((id) => id === ids[0]);
    }),
  ],
  [
    "$setIsSubset",
    fixed(2, (a, b) => {
      const ids = idsOf(asArray("$setIsSubset", b, 17042));
      return [...idsOf(asArray("$setIsSubset", a, 17046))].every((id) => ids.has(id));
    }),
  ],
  allOrAny("$allElementsTrue", 17040),
  allOrAny("$anyElementTrue", 17041),
  ["$isNumber", fixed(1, (value) => isNumber(value))],
];
