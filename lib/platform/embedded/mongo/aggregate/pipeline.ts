import { setAt } from "../bson/paths.ts";
import { type Doc, docOf, isDoc, isNumber, toWholeNumber, typeName, type Value } from "../bson/values.ts";
import { badValue, StoreError } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Variables } from "../expressions/scope.ts";
import { compileMatch, parseMatch } from "../query/match.ts";
import { compileAddFields, compileProjection, compileUnset } from "../query/projection.ts";
import { type SortOptions, sortFlow } from "../query/query.ts";
import { parseSort } from "../query/sort.ts";
import { type Flow, PAUSE, paced, window } from "../scheduling/flow.ts";
import { compileBucket, compileBucketAuto, compileGroup, sizeOf } from "./group.ts";
import { type Item, type Items, rowOfItem, type Stage } from "./items.ts";
import { compileGraphLookup, compileLookup, type Joins } from "./lookup.ts";
import { compileRedact } from "./redact.ts";

export type PipelineOptions = {
  variables: Variables;
  /** Access of `$lookup` and `$unionWith` to other collections; undefined where a pipeline may have none (updates). */
  joins: Joins | undefined;
  isFacet?: boolean;
  /** The store's file, if stages may spill beside it; undefined if they may not. */
  disk?: string | undefined;
};

type StageCompiler = (argument: Value, options: PipelineOptions) => Stage;

/** MongoDB's limit of stages. */
const MAX_STAGES = 1000;

/** Stages that are allowed only in first or last position; the aggregate command handles them. */
const ENDS = new Set([
  "$out",
  "$merge",
  "$collStats",
  "$indexStats",
  "$documents",
  "$listLocalSessions",
  "$listSessions",
  "$currentOp",
]);

const REFUSED = new Map([
  ["$setWindowFields", "$setWindowFields is not supported by this store."],
  ["$densify", "$densify is not supported by this store."],
  ["$fill", "$fill is not supported by this store."],
  ["$changeStream", "Change streams are not supported by this store."],
  ["$geoNear", "$geoNear is not supported by this store: it has no geospatial indexes."],
  ["$search", "$search is not supported by this store."],
  ["$searchMeta", "$searchMeta is not supported by this store."],
  ["$vectorSearch", "$vectorSearch is not supported by this store."],
  ["$planCacheStats", "$planCacheStats is not supported by this store: it keeps no plans."],
]);

function mapped(change: (doc: Doc) => Doc): Stage {
  return function* map(input) {
    for (const item of input) yield item === PAUSE ? PAUSE : { doc: change(item.doc) };
  };
}

function requireDoc(name: string, argument: Value, code = 15959): Doc {
  if (!isDoc(argument)) throw new StoreError(code, `the ${name} specification must be an object`);
  return argument;
}

function positiveCount(name: string, argument: Value, least: number): number {
  const n = isNumber(argument) ? toWholeNumber(argument) : undefined;
  if (n === undefined)
    throw new StoreError(
      name === "$limit" ? 2107201 : 5107200,
      `invalid argument to ${name} stage: Expected an integer: ${name}: ${typeName(argument)}`,
    );
  if (n < least)
    throw new StoreError(
      name === "$limit" ? 15958 : 5107200,
      `invalid argument to ${name} stage: ${name === "$limit" ? "the limit must be positive" : "Expected a non-negative number"}`,
    );
  return n;
}

const match: StageCompiler = (argument, { variables }) => {
  const filter = requireDoc("$match", argument);
  const test = compileMatch(parseMatch(filter, { variables }), variables);
  return function* filtered(input) {
    for (const item of input) if (item === PAUSE || test(item.doc)) yield item;
  };
};

const unwind: StageCompiler = (argument) => {
  let path: Value | undefined = argument;
  let indexName: string | undefined;
  let keepsEmpty = false;
  if (isDoc(argument)) {
    for (const [name, value] of argument) {
      if (name === "path") path = value;
      else if (name === "includeArrayIndex") {
        if (typeof value !== "string" || value === "" || value.startsWith("$"))
          throw new StoreError(28810, "expected a non-empty string for the includeArrayIndex option to $unwind stage");
        indexName = value;
      } else if (name === "preserveNullAndEmptyArrays") {
        if (typeof value !== "boolean")
          throw new StoreError(28809, "expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage");
        keepsEmpty = value;
      } else throw new StoreError(28811, `unrecognized option to $unwind stage: ${name}`);
    }
    if (!argument.has("path")) throw new StoreError(28812, "no path specified to $unwind stage");
  }
  if (typeof path !== "string")
    throw new StoreError(
      28808,
      `expected either a string or an object as specification for $unwind stage, got ${typeName(path)}`,
    );
  if (!path.startsWith("$"))
    throw new StoreError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  const parts = path.slice(1).split(".");
  return function* unwound(input) {
    for (const item of input) {
      if (item === PAUSE) {
        yield PAUSE;
        continue;
      }
      const value = valueAt(item.doc, parts);
      const withIndex = (doc: Doc, index: Value): Item => {
        if (indexName === undefined) return { doc };
        return { doc: setAt(doc, indexName.split("."), index) };
      };
      if (Array.isArray(value)) {
        if (value.length === 0 && keepsEmpty) yield withIndex(setAt(item.doc, parts, undefined), null);
        for (let i = 0; i < value.length; i++) yield withIndex(setAt(item.doc, parts, value[i]), BigInt(i));
      } else if (value === undefined || value === null) {
        if (keepsEmpty) yield withIndex(item.doc, null);
      } else yield withIndex(item.doc, null);
    }
  };
};

function valueAt(doc: Doc, parts: readonly string[]): Value | undefined {
  let value: Value | undefined = doc;
  for (const part of parts) value = isDoc(value) ? value.get(part) : undefined;
  return value;
}

const replaceRoot =
  (name: "$replaceRoot" | "$replaceWith"): StageCompiler =>
  (argument, { variables }) => {
    let expression = argument;
    if (name === "$replaceRoot") {
      const doc = requireDoc(name, argument, 40229);
      for (const key of doc.keys())
        if (key !== "newRoot")
          throw new StoreError("IDLUnknownField", `BSON field '$replaceRoot.${key}' is an unknown field.`);
      const newRoot = doc.get("newRoot");
      if (newRoot === undefined)
        throw new StoreError("IDLFailedToParse", "BSON field '$replaceRoot.newRoot' is missing but a required field");
      expression = newRoot;
    }
    const evaluate = compileExpression(expression, variables);
    return mapped((doc) => {
      const value = evaluate({ root: doc, current: doc, scope: variables.scope });
      if (!isDoc(value)) {
        throw new StoreError(
          40228,
          `${name === "$replaceRoot" ? "'newRoot' expression" : "'replacement document'"} must evaluate to an object, but resulting value was of type: ${typeName(value)}`,
        );
      }
      return value;
    });
  };

const count: StageCompiler = (argument) => {
  if (typeof argument !== "string" || argument === "" || argument.startsWith("$") || argument.includes(".")) {
    throw new StoreError(40156, "the count field must be a non-empty string, without '$' in front and without '.'");
  }
  return function* counted(input) {
    let n = 0;
    for (const item of input) {
      if (item === PAUSE) yield PAUSE;
      else n++;
    }
    if (n > 0) yield { doc: docOf({ [argument]: n }) };
  };
};

function sortOptions(disk: string | undefined): SortOptions<Item> {
  return { most: undefined, disk, rowOf: rowOfItem, sizeOf: (item) => item.row?.bytes.length ?? sizeOf(item.doc) };
}

const sortByCount: StageCompiler = (argument, options) => {
  const group = compileGroup(docOf({ _id: argument, count: docOf({ $sum: 1 }) }), options.variables, options.disk);
  const keys = parseSort(docOf({ count: -1 }));
  return (input) => sortFlow(group(input), keys, { ...sortOptions(options.disk), sizeOf: () => 0 });
};

const facet: StageCompiler = (argument, options) => {
  const doc = requireDoc("$facet", argument, 40169);
  if (doc.size === 0) throw new StoreError(40169, "the $facet specification must be a non-empty object");
  const pipelines = [...doc].map(([name, value]): [string, Stage[]] => {
    if (!Array.isArray(value))
      throw new StoreError(40170, `arguments to $facet must be arrays, ${name} is type ${typeName(value)}`);
    for (const stage of value) {
      const inner = isDoc(stage) ? stage.keys().next().value : undefined;
      if (inner === "$facet" || ENDS.has(inner ?? ""))
        throw new StoreError(40600, `${inner} is not allowed to be used within a $facet stage`);
    }
    return [name, compilePipeline(value, { ...options, isFacet: true })];
  });
  return function* faceted(input) {
    const items: Item[] = [];
    for (const item of input) {
      if (item === PAUSE) yield PAUSE;
      else items.push(item);
    }
    const result: Doc = new Map();
    for (const [name, stages] of pipelines) {
      const values: Value[] = [];
      for (const item of runStages(items.values() as unknown as Items, stages)) {
        if (item === PAUSE) yield PAUSE;
        else values.push(item.doc);
      }
      result.set(name, values);
    }
    yield { doc: result };
  };
};

const sample: StageCompiler = (argument) => {
  const size = isDoc(argument) ? toWholeNumber(argument.get("size")) : undefined;
  if (size === undefined || size < 1)
    throw new StoreError(28747, "size argument to $sample must be a positive integer");
  return function* sampled(input) {
    // Reservoir sampling: every document is kept with the same probability.
    const kept: Item[] = [];
    let seen = 0;
    for (const item of input) {
      if (item === PAUSE) {
        yield PAUSE;
        continue;
      }
      seen++;
      if (kept.length < size) kept.push(item);
      else {
        const at = Math.floor(Math.random() * seen);
        if (at < size) kept[at] = item;
      }
    }
    for (let i = kept.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [kept[i], kept[j]] = [kept[j] as Item, kept[i] as Item];
    }
    yield* kept;
  };
};

const unionWith: StageCompiler = (argument, { joins, variables }) => {
  if (joins === undefined) throw badValue("$unionWith is not allowed here");
  let coll: Value | undefined = argument;
  let pipeline: Value[] = [];
  if (isDoc(argument)) {
    for (const key of argument.keys())
      if (key !== "coll" && key !== "pipeline")
        throw new StoreError("IDLUnknownField", `BSON field '$unionWith.${key}' is an unknown field.`);
    coll = argument.get("coll");
    const given = argument.get("pipeline");
    if (given !== undefined && !Array.isArray(given))
      throw new StoreError("TypeMismatch", "BSON field '$unionWith.pipeline' is the wrong type, expected type 'array'");
    pipeline = given ?? [];
  }
  if (coll !== undefined && typeof coll !== "string")
    throw new StoreError(
      "FailedToParse",
      `the $unionWith stage specification must be an object or string, but found ${typeName(argument)}`,
    );
  joins.check(pipeline, variables);
  return function* united(input) {
    yield* input;
    yield* joins.run(coll, pipeline, variables);
  };
};

const STAGES = new Map<string, StageCompiler>([
  ["$match", match],
  [
    "$project",
    (argument, { variables }) =>
      mapped(compileProjection(requireDoc("$project", argument), { variables, isFind: false }).apply),
  ],
  [
    "$addFields",
    (argument, { variables }) => mapped(compileAddFields(requireDoc("$addFields", argument, 40272), variables)),
  ],
  ["$set", (argument, { variables }) => mapped(compileAddFields(requireDoc("$set", argument, 40272), variables))],
  [
    "$unset",
    (argument, { variables }) => {
      const paths = Array.isArray(argument) ? argument : [argument];
      if (paths.length === 0)
        throw new StoreError(31119, "$unset specification must be a string or an array with at least one field");
      const names = paths.map((path) => {
        if (typeof path !== "string")
          throw new StoreError(
            31120,
            "$unset specification must be a string or an array containing only string values",
          );
        if (path.startsWith("$"))
          throw new StoreError(
            16410,
            "Invalid $unset :: caused by :: FieldPath field names may not start with '$'. Consider using $getField or $setField.",
          );
        return path;
      });
      return mapped(compileUnset(names, variables));
    },
  ],
  [
    "$limit",
    (argument) => {
      const n = positiveCount("$limit", argument, 1);
      return (input) => window(input, 0, n);
    },
  ],
  [
    "$skip",
    (argument) => {
      const n = positiveCount("$skip", argument, 0);
      return (input) => window(input, n, undefined);
    },
  ],
  [
    "$sort",
    (argument, { disk }) => {
      const keys = parseSort(requireDoc("$sort", argument, 15973));
      if (keys.length === 0) throw new StoreError(15976, "$sort stage must have at least one sort key");
      return (input) => sortFlow(input, keys, sortOptions(disk));
    },
  ],
  ["$group", (argument, { variables, disk }) => compileGroup(argument, variables, disk)],
  ["$bucket", (argument, { variables }) => compileBucket(argument, variables)],
  ["$bucketAuto", (argument, { variables }) => compileBucketAuto(argument, variables)],
  ["$unwind", unwind],
  ["$replaceRoot", replaceRoot("$replaceRoot")],
  ["$replaceWith", replaceRoot("$replaceWith")],
  ["$count", count],
  ["$sortByCount", sortByCount],
  ["$facet", facet],
  ["$sample", sample],
  ["$unionWith", unionWith],
  ["$redact", (argument, { variables }) => mapFlow(compileRedact(argument, variables))],
  ["$lookup", (argument, { joins, variables }) => compileLookup(argument, joins, variables)],
  ["$graphLookup", (argument, { joins, variables }) => compileGraphLookup(argument, joins, variables)],
]);

function mapFlow(change: (doc: Doc) => Doc | undefined): Stage {
  return function* redacted(input) {
    for (const item of input) {
      if (item === PAUSE) yield PAUSE;
      else {
        const doc = change(item.doc);
        if (doc !== undefined) yield { doc };
      }
    }
  };
}

/** Returns the only name and argument of a stage. */
export function stageOf(stage: Value): [string, Value] {
  if (!isDoc(stage)) throw new StoreError("TypeMismatch", "Each element of the 'pipeline' array must be an object");
  if (stage.size !== 1)
    throw new StoreError(40323, "A pipeline stage specification object must contain exactly one field.");
  return [...stage][0] as [string, Value];
}

/** @throws StoreError 40324 for an unknown stage */
export function compilePipeline(pipeline: readonly Value[], options: PipelineOptions): Stage[] {
  if (pipeline.length > MAX_STAGES)
    throw new StoreError("FailedToParse", `Pipeline length must be no longer than ${MAX_STAGES} stages`);
  return pipeline.map((each) => {
    const [name, argument] = stageOf(each);
    const compiler = STAGES.get(name);
    if (compiler !== undefined) return compiler(argument, options);
    if (name === "$out" || name === "$merge")
      throw new StoreError(40601, `${name} can only be the final stage in the pipeline`);
    if (ENDS.has(name)) throw new StoreError(40602, `${name} is only valid as the first stage in a pipeline.`);
    throw new StoreError("UnrecognizedStage", REFUSED.get(name) ?? `Unrecognized pipeline stage name: '${name}'`);
  });
}

export function runStages(input: Items, stages: readonly Stage[]): Items {
  return stages.reduce((flow, stage) => paced(stage(flow)), paced(input));
}

/** Stages that are allowed in the pipeline of an update. */
const UPDATE_STAGES = new Set(["$addFields", "$set", "$project", "$unset", "$replaceRoot", "$replaceWith"]);

/** Compiles a pipeline that changes one document. */
export function compileUpdatePipeline(pipeline: readonly Value[], variables: Variables): (doc: Doc) => Doc {
  for (const each of pipeline) {
    const [name] = stageOf(each);
    if (!UPDATE_STAGES.has(name)) {
      if (!STAGES.has(name) && !ENDS.has(name))
        throw new StoreError("UnrecognizedStage", `Unrecognized pipeline stage name: '${name}'`);
      throw new StoreError("InvalidOptions", `${name} is not allowed to be used within an update`);
    }
  }
  const stages = compilePipeline(pipeline, { variables, joins: undefined });
  return (doc) => {
    const input: Flow<Item> = (function* single() {
      yield { doc };
    })();
    for (const item of runStages(input, stages)) if (item !== PAUSE) return item.doc;
    return doc;
  };
}
