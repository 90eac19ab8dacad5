import { type Doc, docOf, isDoc, isNumber, toWholeNumber, typeName, type Value } from "../bson/values.ts";
import { failedToParse, StoreError, typeMismatch } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Variables } from "../expressions/scope.ts";
import { compileMatch, parseMatch } from "../query/match.ts";
import { compileAddFields, compileProjection, compileUnset } from "../query/projection.ts";
import { sortFlow } from "../query/query.ts";
import { parseSort } from "../query/sort.ts";
import { type Flow, PAUSE, paced, window } from "../scheduling/flow.ts";
import { sizeOf } from "./accumulators.ts";
import { compileGroup } from "./group.ts";
import type { Item, Items, Stage } from "./items.ts";
import { compileLookup, type Joins } from "./lookup.ts";

export type PipelineOptions = {
  variables: Variables;
  /** Access of `$lookup` and `$unionWith` to other collections; undefined where a pipeline may have none (updates). */
  joins: Joins | undefined;
};

export type StageCompiler = (argument: Value, options: PipelineOptions) => Stage;

/** MongoDB's limit of stages. */
const MAX_STAGES = 1000;

/** Stages that are allowed only in last position; the aggregate command runs them. */
export const OUTPUTS: ReadonlySet<string> = new Set(["$out", "$merge"]);
/** Stages that generate documents and are allowed only in first position; the aggregate command runs them. */
export const SOURCES: ReadonlySet<string> = new Set(["$documents", "$listLocalSessions"]);

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
      const value = evaluate({ root: doc, scope: variables.scope });
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

const sort: StageCompiler = (argument) => {
  const keys = parseSort(requireDoc("$sort", argument, 15973));
  if (keys.length === 0) throw new StoreError(15976, "$sort stage must have at least one sort key");
  const sizeOfItem = (item: Item): number => item.row?.bytes.length ?? sizeOf(item.doc);
  return (input) => sortFlow(input, keys, undefined, sizeOfItem);
};

const unset: StageCompiler = (argument, { variables }) => {
  const paths = Array.isArray(argument) ? argument : [argument];
  if (paths.length === 0)
    throw new StoreError(31119, "$unset specification must be a string or an array with at least one field");
  const names = paths.map((path) => {
    if (typeof path !== "string")
      throw new StoreError(31120, "$unset specification must be a string or an array containing only string values");
    if (path.startsWith("$"))
      throw new StoreError(
        16410,
        "Invalid $unset :: caused by :: FieldPath field names may not start with '$'. Consider using $getField or $setField.",
      );
    return path;
  });
  return mapped(compileUnset(names, variables));
};

const addFields =
  (name: string): StageCompiler =>
  (argument, { variables }) =>
    mapped(compileAddFields(requireDoc(name, argument, 40272), variables));

/** Stages in scope, except sources and outputs (docs/develop/store-scope.md). */
export const STAGES = new Map<string, StageCompiler>([
  ["$match", match],
  [
    "$project",
    (argument, { variables }) =>
      mapped(compileProjection(requireDoc("$project", argument), { variables, isFind: false }).apply),
  ],
  ["$addFields", addFields("$addFields")],
  ["$set", addFields("$set")],
  ["$unset", unset],
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
  ["$sort", sort],
  ["$group", (argument, { variables }) => compileGroup(argument, variables)],
  ["$replaceRoot", replaceRoot("$replaceRoot")],
  ["$replaceWith", replaceRoot("$replaceWith")],
  ["$count", count],
  ["$lookup", (argument, { joins, variables }) => compileLookup(argument, joins, variables)],
]);

/** Returns the only name and argument of a stage. */
export function stageOf(stage: Value): [string, Value] {
  if (!isDoc(stage)) throw typeMismatch("Each element of the 'pipeline' array must be an object");
  if (stage.size !== 1)
    throw new StoreError(40323, "A pipeline stage specification object must contain exactly one field.");
  return [...stage][0] as [string, Value];
}

/** @throws StoreError 40324 for an unknown stage */
export function compilePipeline(pipeline: readonly Value[], options: PipelineOptions): Stage[] {
  if (pipeline.length > MAX_STAGES) throw failedToParse(`Pipeline length must be no longer than ${MAX_STAGES} stages`);
  return pipeline.map((each) => {
    const [name, argument] = stageOf(each);
    const compiler = STAGES.get(name);
    if (compiler !== undefined) return compiler(argument, options);
    if (OUTPUTS.has(name)) throw new StoreError(40601, `${name} can only be the final stage in the pipeline`);
    if (SOURCES.has(name)) throw new StoreError(40602, `${name} is only valid as the first stage in a pipeline.`);
    throw new StoreError("UnrecognizedStage", `Unrecognized pipeline stage name: '${name}'`);
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
      if (!STAGES.has(name) && !OUTPUTS.has(name) && !SOURCES.has(name))
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
