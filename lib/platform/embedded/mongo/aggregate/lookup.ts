import { setAt, someAtPath } from "../bson/paths.ts";
import { BSONRegExp, type Doc, docOf, isDoc, typeName, type Value } from "../bson/values.ts";
import { badValue, failedToParse, typeMismatch } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import { checkVariableName } from "../expressions/logic.ts";
import { bind, type Evaluator, type Scope, type Variables } from "../expressions/scope.ts";
import { PAUSE } from "../scheduling/flow.ts";
import type { Items, Stage } from "./items.ts";

/** Access of a stage to other collections of the database. */
export type Joins = {
  /** Runs a pipeline on a collection; undefined for a pipeline that starts with `$documents`. */
  run: (collection: string | undefined, pipeline: readonly Value[], variables: Variables) => Items;
  /** Validates a pipeline without running it, and throws its first error. */
  check: (pipeline: readonly Value[], variables: Variables) => void;
};

type Lookup = {
  from: string | undefined;
  as: string[];
  localField: readonly string[] | undefined;
  foreignField: string | undefined;
  lets: [string, Evaluator][];
  pipeline: Value[] | undefined;
};

function readLookup(argument: Value, joins: Joins, variables: Variables): Lookup {
  if (!isDoc(argument))
    throw failedToParse(`the $lookup specification must be an object, but found ${typeName(argument)}`);
  const text = (name: string): string | undefined => {
    const value = argument.get(name);
    if (value !== undefined && typeof value !== "string")
      throw failedToParse(`$lookup argument '${name}: ${typeName(value)}' must be a string`);
    return value;
  };
  for (const name of argument.keys()) {
    if (!["from", "as", "localField", "foreignField", "let", "pipeline"].includes(name))
      throw failedToParse(`unknown argument to $lookup: ${name}`);
  }
  const from = text("from");
  const as = text("as");
  const localField = text("localField");
  const foreignField = text("foreignField");
  const pipeline = argument.get("pipeline");
  if (as === undefined || as === "") throw failedToParse("must specify 'as' field for a $lookup");
  if (pipeline !== undefined && !Array.isArray(pipeline))
    throw typeMismatch("'pipeline' option must be specified as an array");
  if (from === undefined && pipeline === undefined) throw failedToParse("must specify 'pipeline' when 'from' is empty");
  if ((localField === undefined) !== (foreignField === undefined))
    throw failedToParse("$lookup requires both or neither of 'localField' and 'foreignField' to be specified");
  if (pipeline === undefined && localField === undefined)
    throw failedToParse("$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
  const letDoc = argument.get("let");
  const lets: [string, Evaluator][] = [];
  if (letDoc !== undefined) {
    if (!isDoc(letDoc)) throw failedToParse(`$lookup argument 'let' must be an object, is type ${typeName(letDoc)}`);
    if (pipeline === undefined) throw failedToParse("$lookup with 'let' requires a 'pipeline'");
    for (const [name, value] of letDoc) lets.push([checkVariableName(name), compileExpression(value, variables)]);
  }
  if (pipeline !== undefined) {
    const names = new Set([...(variables.names ?? []), ...lets.map(([name]) => name)]);
    joins.check(pipeline, { scope: variables.scope, names });
  }
  return { from, as: as.split("."), localField: localField?.split("."), foreignField, lets, pipeline };
}

export function compileLookup(argument: Value, joins: Joins | undefined, variables: Variables): Stage {
  if (joins === undefined) throw badValue("$lookup is not allowed here");
  const lookup = readLookup(argument, joins, variables);
  return function* joined(input) {
    for (const item of input) {
      if (item === PAUSE) {
        yield PAUSE;
        continue;
      }
      const found: Value[] = [];
      for (const other of joins.run(
        lookup.from,
        pipelineFor(lookup, item.doc),
        scopeFor(lookup, item.doc, variables),
      )) {
        if (other === PAUSE) yield PAUSE;
        else found.push(other.doc);
      }
      yield { doc: setAt(item.doc, lookup.as, found) };
    }
  };
}

/** Returns the values that a document joins by: the elements of an array, null for a missing field. */
function localValues(doc: Doc, path: readonly string[]): Value[] {
  const values: Value[] = [];
  someAtPath(doc, path, false, (value) => {
    if (Array.isArray(value)) for (const item of value) values.push(item);
    else values.push(value ?? null);
    return false;
  });
  return values.length === 0 ? [null] : values;
}

function pipelineFor({ localField, foreignField, pipeline }: Lookup, doc: Doc): Value[] {
  if (localField === undefined || foreignField === undefined) return pipeline ?? [];
  const values = localValues(doc, localField);
  // A regular expression joins as a value and not as a pattern.
  const condition = values.some((value) => value instanceof BSONRegExp)
    ? docOf({ $or: values.map((value): Value => docOf({ [foreignField]: docOf({ $eq: value }) })) })
    : docOf({ [foreignField]: values.length === 1 ? docOf({ $eq: values[0] }) : docOf({ $in: values }) });
  return [docOf({ $match: condition }), ...(pipeline ?? [])];
}

function scopeFor({ lets }: Lookup, doc: Doc, variables: Variables): Variables {
  let scope: Scope = variables.scope;
  for (const [name, evaluate] of lets) {
    scope = bind(scope, name, evaluate({ root: doc, scope: variables.scope }));
  }
  return { scope };
}
