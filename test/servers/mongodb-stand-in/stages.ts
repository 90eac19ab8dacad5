import type { StageCompiler } from "../../../lib/platform/embedded/mongo/aggregate/pipeline.ts";
import { setAt } from "../../../lib/platform/embedded/mongo/bson/paths.ts";
import { type Doc, isDoc, typeName, type Value } from "../../../lib/platform/embedded/mongo/bson/values.ts";
import { badValue, failedToParse, StoreError, typeMismatch } from "../../../lib/platform/embedded/mongo/errors.ts";
import { PAUSE } from "../../../lib/platform/embedded/mongo/scheduling/flow.ts";

const unwind: StageCompiler = (argument) => {
  for (const name of isDoc(argument) ? argument.keys() : [])
    if (name !== "path" && name !== "preserveNullAndEmptyArrays")
      throw new StoreError(28811, `unrecognized option to $unwind stage: ${name}`);
  const path = isDoc(argument) ? argument.get("path") : argument;
  if (path === undefined) throw new StoreError(28812, "no path specified to $unwind stage");
  if (typeof path !== "string")
    throw new StoreError(
      28808,
      `expected either a string or an object as specification for $unwind stage, got ${typeName(path)}`,
    );
  if (!path.startsWith("$"))
    throw new StoreError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  const parts = path.slice(1).split(".");
  const isPreserving = isDoc(argument) && argument.get("preserveNullAndEmptyArrays") === true;
  return function* unwound(input) {
    for (const item of input) {
      if (item === PAUSE) {
        yield PAUSE;
        continue;
      }
      const value = valueAt(item.doc, parts);
      if (Array.isArray(value) && value.length > 0) {
        for (const each of value) yield { doc: setAt(item.doc, parts, each) };
      } else if (Array.isArray(value)) {
        if (isPreserving) yield { doc: without(item.doc, parts) };
      } else if (isPreserving || (value !== undefined && value !== null)) yield { doc: item.doc };
    }
  };
};

function without(doc: Doc, [first = "", ...rest]: readonly string[]): Doc {
  const copy: Doc = new Map(doc);
  const inner = copy.get(first);
  if (rest.length === 0) copy.delete(first);
  else if (isDoc(inner)) copy.set(first, without(inner, rest));
  return copy;
}

function valueAt(doc: Doc, parts: readonly string[]): Value | undefined {
  let value: Value | undefined = doc;
  for (const part of parts) value = isDoc(value) ? value.get(part) : undefined;
  return value;
}

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
      throw typeMismatch("BSON field '$unionWith.pipeline' is the wrong type, expected type 'array'");
    pipeline = given ?? [];
  }
  if (coll !== undefined && typeof coll !== "string")
    throw failedToParse(
      `the $unionWith stage specification must be an object or string, but found ${typeName(argument)}`,
    );
  joins.check(pipeline, variables);
  return function* united(input) {
    yield* input;
    yield* joins.run(coll, pipeline, variables);
  };
};

/** Stages that statements for users' databases need. */
export const stages: [string, StageCompiler][] = [
  ["$unwind", unwind],
  ["$unionWith", unionWith],
];
