import { decodeDocument } from "../bson/codec.ts";
import {
  type Doc,
  isDoc,
  isNumber,
  isTruthy,
  RawDocument,
  toWholeNumber,
  typeName,
  type Value,
} from "../bson/values.ts";
import { StoreError } from "../errors.ts";

/** Fields that every command accepts. */
const GENERIC = new Set([
  "$db",
  "$clusterTime",
  "$readPreference",
  "$audit",
  "$client",
  "$configServerState",
  "$tenant",
  "apiDeprecationErrors",
  "apiStrict",
  "apiVersion",
  "autocommit",
  "comment",
  "databaseVersion",
  "help",
  "lsid",
  "maxTimeMS",
  "mayBypassWriteBlocking",
  "readConcern",
  "rawData",
  "shardVersion",
  "startTransaction",
  "stmtId",
  "stmtIds",
  "txnNumber",
  "writeConcern",
]);

/** @throws StoreError 40415 for an unknown field of the command, as in MongoDB: nothing is silently ignored */
export function checkFields(command: Doc, name: string, allowed: readonly string[]): void {
  for (const field of command.keys()) {
    if (field === name || GENERIC.has(field) || allowed.includes(field)) continue;
    throw new StoreError("IDLUnknownField", `BSON field '${name}.${field}' is an unknown field.`);
  }
  if (command.has("rawData")) {
    throw new StoreError("IDLUnknownField", `BSON field '${name}.rawData' is an unknown field.`);
  }
}

function wrongType(command: string, field: string, value: Value, expected: string): StoreError {
  return new StoreError(
    "TypeMismatch",
    `BSON field '${command}.${field}' is the wrong type '${typeName(value)}', expected type '${expected}'`,
  );
}

/** Returns a document of the command; undefined when it is missing or null. */
export function optionalDoc(command: Doc, name: string, field: string): Doc | undefined {
  const value = command.get(field);
  if (value === undefined || value === null) return undefined;
  if (value instanceof RawDocument) return decodeDocument(value.bytes);
  if (!isDoc(value)) throw wrongType(name, field, value, "object");
  return value;
}

export function requiredString(command: Doc, name: string, field: string): string {
  const value = command.get(field);
  if (value === undefined)
    throw new StoreError("IDLFailedToParse", `BSON field '${name}.${field}' is missing but a required field`);
  if (typeof value !== "string") throw wrongType(name, field, value, "string");
  return value;
}

/** Returns a non-negative whole number of the command. */
export function optionalCount(command: Doc, name: string, field: string): number | undefined {
  const value = command.get(field);
  if (value === undefined || value === null) return undefined;
  if (!isNumber(value)) throw wrongType(name, field, value, "long");
  const n = toWholeNumber(value);
  if (n === undefined) throw new StoreError("FailedToParse", `BSON field '${name}.${field}' must be a whole number`);
  if (n < 0) throw new StoreError(51024, `BSON field '${field}' value must be >= 0, actual value '${n}'`);
  return n;
}

export function optionalBool(command: Doc, name: string, field: string): boolean {
  const value = command.get(field);
  if (value === undefined || value === null) return false;
  if (typeof value !== "boolean" && !isNumber(value)) throw wrongType(name, field, value, "bool");
  return isTruthy(value);
}

/** Returns an array of documents, which may have arrived as raw ones. */
export function documentList(command: Doc, name: string, field: string): (Doc | RawDocument)[] {
  const value = command.get(field);
  if (value === undefined)
    throw new StoreError("IDLFailedToParse", `BSON field '${name}.${field}' is missing but a required field`);
  if (!Array.isArray(value)) throw wrongType(name, field, value, "array");
  return value.map((item) => {
    if (!isDoc(item) && !(item instanceof RawDocument)) throw wrongType(name, field, item, "object");
    return item;
  });
}

export function toDoc(value: Doc | RawDocument): Doc {
  return value instanceof RawDocument ? decodeDocument(value.bytes) : value;
}
