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
import { failedToParse, StoreError, typeMismatch } from "../errors.ts";

/** Options that every command accepts, and what the store does with them. */
export const COMMON_FIELDS: ReadonlyMap<string, string> = new Map([
  ["$db", "names the database"],
  ["lsid", "names the session"],
  ["txnNumber", "numbers a transaction or a retryable write"],
  ["autocommit", "marks a command of a transaction"],
  ["startTransaction", "marks the first command of a transaction"],
  ["maxTimeMS", "limits the command's time"],
  ["readConcern", "is checked; the only member reads its own committed writes"],
  ["writeConcern", "is checked, and decides whether the write is synced"],
  ["$clusterTime", "has no effect: one member has one clock"],
  ["$readPreference", "has no effect: there is one member to read from"],
  ["comment", "has no effect: it is a note for the server's log"],
]);

/** @throws StoreError 40415 for an unknown option of a command or a statement, as in MongoDB */
export function checkFields(doc: Doc, name: string, allowed: readonly string[]): void {
  for (const field of doc.keys()) {
    if (field !== name && !COMMON_FIELDS.has(field) && !allowed.includes(field)) throw unknownField(name, field);
  }
}

/** @throws StoreError 40415 for an unknown field of a part of a command */
export function checkPart(doc: Doc, name: string, allowed: readonly string[]): void {
  for (const field of doc.keys()) if (!allowed.includes(field)) throw unknownField(name, field);
}

function unknownField(name: string, field: string): StoreError {
  return new StoreError("IDLUnknownField", `BSON field '${name}.${field}' is an unknown field.`);
}

function missingField(name: string, field: string): StoreError {
  return new StoreError("IDLFailedToParse", `BSON field '${name}.${field}' is missing but a required field`);
}

function wrongType(command: string, field: string, value: Value, expected: string): StoreError {
  return typeMismatch(
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
  if (value === undefined) throw missingField(name, field);
  if (typeof value !== "string") throw wrongType(name, field, value, "string");
  return value;
}

/** Returns a non-negative whole number of the command. */
export function optionalCount(command: Doc, name: string, field: string): number | undefined {
  const value = command.get(field);
  if (value === undefined || value === null) return undefined;
  if (!isNumber(value)) throw wrongType(name, field, value, "long");
  const n = toWholeNumber(value);
  if (n === undefined) throw failedToParse(`BSON field '${name}.${field}' must be a whole number`);
  if (n < 0) throw new StoreError(51024, `BSON field '${field}' value must be >= 0, actual value '${n}'`);
  return n;
}

export function optionalBool(command: Doc, name: string, field: string): boolean {
  const value = command.get(field);
  if (value === undefined || value === null) return false;
  if (typeof value !== "boolean" && !isNumber(value)) throw wrongType(name, field, value, "bool");
  return isTruthy(value);
}

export function requiredList(command: Doc, name: string, field: string): Value[] {
  const value = command.get(field);
  if (value === undefined) throw missingField(name, field);
  if (!Array.isArray(value)) throw wrongType(name, field, value, "array");
  return value;
}

/** Returns an array of documents, which may have arrived as raw ones. */
export function documentList(command: Doc, name: string, field: string): (Doc | RawDocument)[] {
  return requiredList(command, name, field).map((item) => {
    if (!isDoc(item) && !(item instanceof RawDocument)) throw wrongType(name, field, item, "object");
    return item;
  });
}

export function toDoc(value: Doc | RawDocument): Doc {
  return value instanceof RawDocument ? decodeDocument(value.bytes) : value;
}
