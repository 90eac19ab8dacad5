import { encodeDocument } from "../bson/codec.ts";
import { Binary, type Doc, isDoc, Timestamp, typeName, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileSortBy } from "../query/sort.ts";
import { checkNames, fixed, named, requireDoc, variadic } from "./arguments.ts";
import type { Compile, Evaluator, Operator } from "./scope.ts";
import { isNullish } from "./truth.ts";

const getField: Operator = (argument, compile, name) => {
  let field: Value;
  let input: Evaluator = (env) => env.current;
  if (isDoc(argument) && (argument.has("field") || argument.has("input"))) {
    checkNames(name, argument, ["field", "input"]);
    const given = argument.get("field");
    const from = argument.get("input");
    if (given === undefined) throw new StoreError(3041702, "$getField requires 'field' to be specified");
    if (from === undefined) throw new StoreError(3041703, "$getField requires 'input' to be specified");
    field = given;
    input = compile(from);
  } else field = argument;
  const fieldName = constantName(name, field, compile);
  return (env) => {
    const value = input(env);
    if (isDoc(value)) return value.get(fieldName);
    return isNullish(value) && value !== undefined ? null : undefined;
  };
};

/** Returns the field's name, which must be constant: `"a.b"`, `{$literal: "$a"}`. */
function constantName(operator: string, field: Value, compile: Compile): string {
  if (typeof field === "string" && !field.startsWith("$")) return field;
  const isLiteral = isDoc(field) && (field.has("$literal") || field.has("$const"));
  const value = isLiteral ? compile(field)({ root: new Map(), current: undefined, scope: undefined }) : undefined;
  if (typeof value !== "string") {
    throw new StoreError(5654602, `${operator} requires 'field' to evaluate to a constant string`);
  }
  return value;
}

const setField: Operator = (argument, compile, name) => {
  const doc = requireDoc(name, argument);
  const isUnset = name === "$unsetField";
  checkNames(name, doc, isUnset ? ["field", "input"] : ["field", "input", "value"]);
  const given = doc.get("field");
  const from = doc.get("input");
  const to = isUnset ? "$$REMOVE" : doc.get("value");
  if (given === undefined) throw new StoreError(4161102, `${name} requires 'field' to be specified`);
  if (to === undefined) throw new StoreError(4161103, `${name} requires 'value' to be specified`);
  if (from === undefined) throw new StoreError(4161109, `${name} requires 'input' to be specified`);
  const fieldName = constantName(name, given, compile);
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

export const objectOperators: [string, Operator][] = [
  [
    "$mergeObjects",
    variadic((values) => {
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
    }),
  ],
  [
    "$objectToArray",
    fixed(1, (value) => {
      if (isNullish(value)) return null;
      if (!isDoc(value))
        throw new StoreError(40390, `$objectToArray requires a document input, found: ${typeName(value)}`);
      return [...value].map(
        ([k, v]): Doc =>
          new Map<string, Value>([
            ["k", k],
            ["v", v],
          ]),
      );
    }),
  ],
  [
    "$arrayToObject",
    fixed(1, (value) => {
      if (isNullish(value)) return null;
      if (!Array.isArray(value))
        throw new StoreError(40386, `$arrayToObject requires an array input, found: ${typeName(value)}`);
      const doc: Doc = new Map();
      for (const item of value) {
        const [k, v] = pairOf(item);
        doc.set(k, v);
      }
      return doc;
    }),
  ],
  ["$getField", getField],
  ["$setField", setField],
  ["$unsetField", setField],
  [
    "$bsonSize",
    fixed(1, (value) => {
      if (isNullish(value)) return null;
      if (!isDoc(value)) throw new StoreError(31393, `$bsonSize requires a document input, found: ${typeName(value)}`);
      return encodeDocument(value).length;
    }),
  ],
  [
    "$binarySize",
    fixed(1, (value) => {
      if (isNullish(value)) return null;
      if (typeof value === "string") return Buffer.byteLength(value, "utf8");
      if (value instanceof Binary) return value.position;
      throw new StoreError(51276, `$binarySize requires a string or BinData argument, found: ${typeName(value)}`);
    }),
  ],
  ["$tsSecond", timestampPart("$tsSecond", (value) => BigInt(value.t >>> 0))],
  ["$tsIncrement", timestampPart("$tsIncrement", (value) => BigInt(value.i >>> 0))],
  [
    "$sortArray",
    (argument, compile, name) => {
      const { input } = named(name, argument, (value) => compile(value), ["input"], ["sortBy"]);
      const by = requireDoc(name, argument).get("sortBy");
      if (by === undefined) throw new StoreError("FailedToParse", "Missing 'sortBy' parameter to $sortArray");
      const compare = compileSortBy(by);
      return (env) => {
        const value = input(env);
        if (isNullish(value)) return null;
        if (!Array.isArray(value))
          throw new StoreError(
            2942504,
            `The input argument to $sortArray must be an array, but was of type: ${typeName(value)}`,
          );
        return [...value].sort(compare);
      };
    },
  ],
];

function timestampPart(name: string, read: (value: Timestamp) => Value): Operator {
  return fixed(1, (value) => {
    if (isNullish(value)) return null;
    if (!(value instanceof Timestamp))
      throw new StoreError(5687301, `${name} requires a timestamp argument, found: ${typeName(value)}`);
    return read(value);
  });
}

function pairOf(item: Value): [string, Value] {
  let key: Value | undefined;
  let value: Value | undefined;
  if (Array.isArray(item)) {
    if (item.length !== 2)
      throw new StoreError(
        40397,
        `$arrayToObject requires an array of size 2 arrays, found array of size: ${item.length}`,
      );
    [key, value] = item;
  } else if (isDoc(item)) {
    if (item.size !== 2 || !item.has("k") || !item.has("v"))
      throw new StoreError(40392, "$arrayToObject requires an object with keys 'k' and 'v'");
    key = item.get("k");
    value = item.get("v");
  } else throw new StoreError(40398, `Unrecognised input type format for $arrayToObject: ${typeName(item)}`);
  if (typeof key !== "string")
    throw new StoreError(40394, `$arrayToObject requires keys of type string, found type: ${typeName(key)}`);
  if (key.includes("\0")) throw new StoreError(4940400, "Key field cannot contain an embedded null byte");
  return [key, value as Value];
}
