import { type Doc, docOf, isDoc, isNumber, isTruthy, toWholeNumber, typeName } from "../bson/values.ts";
import { failedToParse, StoreError, typeMismatch } from "../errors.ts";
import type { Context } from "./context.ts";

/** Commands that accept a write concern. */
const WRITES = new Set([
  "insert",
  "update",
  "delete",
  "findAndModify",
  "aggregate",
  "create",
  "createIndexes",
  "drop",
  "dropDatabase",
  "dropIndexes",
  "collMod",
  "commitTransaction",
  "abortTransaction",
  // A driver ends its sessions with w: 0.
  "endSessions",
]);
/** Maximum members of a replica set. */
const MAX_MEMBERS = 50;
const FIELDS = ["w", "j", "fsync", "wtimeout", "provenance"];

export type WriteConcern = {
  /** The answer's `writeConcernError` when one member cannot meet the request; the write is still applied. */
  error: Doc | undefined;
  /** True when the write must be on the disk before it is acknowledged. */
  isJournaled: boolean;
};

/** @throws StoreError for an invalid write concern, before anything is written */
export function readWriteConcern({ command, name, isInTransaction }: Context): WriteConcern {
  const concern = command.get("writeConcern");
  if (concern === undefined) return { error: undefined, isJournaled: false };
  if (!isDoc(concern))
    throw typeMismatch(`BSON field 'writeConcern' is the wrong type '${typeName(concern)}', expected type 'object'`);
  if (!WRITES.has(name)) throw new StoreError("InvalidOptions", "Command does not support writeConcern");
  if (isInTransaction && name !== "commitTransaction" && name !== "abortTransaction")
    throw new StoreError("InvalidOptions", "writeConcern is not allowed within a multi-statement transaction");
  for (const field of concern.keys()) {
    if (!FIELDS.includes(field))
      throw new StoreError("IDLUnknownField", `BSON field 'writeConcern.${field}' is an unknown field.`);
  }
  for (const field of ["j", "fsync", "wtimeout"]) {
    const value = concern.get(field);
    if (value !== undefined && typeof value !== "boolean" && !isNumber(value))
      throw failedToParse(`${field} must be numeric or a boolean value`);
  }
  const isJournaled = ["j", "fsync"].some((field) => isTruthy(concern.get(field) ?? false));
  return { error: unsatisfied(concern), isJournaled };
}

function unsatisfied(concern: Doc): Doc | undefined {
  const w = concern.get("w");
  if (w === undefined || w === "majority") return undefined;
  if (typeof w === "string")
    return docOf({
      code: 79,
      codeName: "UnknownReplWriteConcern",
      errmsg: `No write concern mode named '${w}' found in replica set configuration`,
    });
  const count = isNumber(w) ? toWholeNumber(w) : undefined;
  if (count === undefined || count < 0 || count > MAX_MEMBERS)
    throw failedToParse(`w has to be a non-negative number and not greater than ${MAX_MEMBERS}`);
  if (count < 2) return undefined;
  return docOf({ code: 100, codeName: "UnsatisfiableWriteConcern", errmsg: "Not enough data-bearing nodes" });
}
