import { type Doc, isDoc, typeName, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { type Argument, checkNames, fixed, requireDoc, variadic } from "./arguments.ts";
import type { Compile, Operator } from "./scope.ts";
import { isNullish } from "./truth.ts";

/** Returns the field's name, which must be constant: `"a.b"`, `{$literal: "$a"}`. */
function constantName(operator: string, field: Value, compile: Compile): string {
  if (typeof field === "string" && !field.startsWith("$")) return field;
  const isLiteral = isDoc(field) && field.has("$literal");
  const value = isLiteral ? compile(field)({ root: new Map(), scope: undefined }) : undefined;
  if (typeof value !== "string") {
    throw new StoreError(5654602, `${operator} requires 'field' to evaluate to a constant string`);
  }
  return value;
}

const setField: Operator = (argument, compile, name) => {
  const doc = requireDoc(name, argument);
  checkNames(name, doc, ["field", "input", "value"]);
  const [field, from, to] = ["field", "input", "value"].map((key) => doc.get(key));
  if (field === undefined) throw new StoreError(4161102, `${name} requires 'field' to be specified`);
  if (to === undefined) throw new StoreError(4161103, `${name} requires 'value' to be specified`);
  if (from === undefined) throw new StoreError(4161109, `${name} requires 'input' to be specified`);
  const fieldName = constantName(name, field, compile);
  const input = compile(from);
  const value = compile(to);
  return (env) => {
    const base = input(env);
    if (isNullish(base)) return null;
    if (!isDoc(base)) throw new StoreError(4161105, `${name} requires 'input' to evaluate to type Object`);
    const copy: Doc = new Map(base);
    const next = value(env);
    if (next === undefined) copy.delete(fieldName);
    else copy.set(fieldName, next);
    return copy;
  };
};

function mergeObjects(values: Argument[]): Value {
  const merged: Doc = new Map();
  // A single argument may be an array of documents.
  const docs = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
  for (const value of docs) {
    if (isNullish(value)) continue;
    if (!isDoc(value))
      throw new StoreError(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`);
    for (const [name, item] of value) merged.set(name, item);
  }
  return merged;
}

export const objectOperators: [string, Operator][] = [
  ["$mergeObjects", variadic(mergeObjects)],
  ["$setField", setField],
  ["$type", fixed(1, (value) => typeName(value))],
];
