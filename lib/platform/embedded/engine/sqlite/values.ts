import type { Field, FieldType, WireValue } from "../../../../base/values/fields.ts";
import { NEGATIVE_ZERO } from "../wire.ts";

/** A value from SQLite. Integers are BigInt, to keep all 64 bits. */
export type SqliteValue = null | bigint | number | string | Uint8Array;

const STORAGE_TYPES: Readonly<Record<string, FieldType>> = {
  integer: "int64",
  real: "float64",
  text: "string",
  blob: "binary",
};

/** @param type of the value's field, which decides the form of negative zero */
export function toWire(value: SqliteValue, type: FieldType): WireValue {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (Object.is(value, -0)) return type === "float64" ? NEGATIVE_ZERO : 0;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
}

/** Returns the size of a value in an answer, in bytes; 0 for types that are always small. */
export function sizeOf(value: SqliteValue): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return value instanceof Uint8Array ? Math.ceil(value.byteLength / 3) * 4 : 0;
}

/**
 * Returns a column's field by the type of its values, because any column may hold any type. The declared type decides
 * only when the first rows hold no value.
 */
export function fieldOf(name: string, declared: string | null, values: readonly SqliteValue[]): Field {
  const found = new Set(values.flatMap((value) => (value === null ? [] : [storageOf(value)])));
  const storages = found.size === 0 ? [storageOfDeclared(declared)] : [...found].sort();
  const isNumber = storages.every((storage) => storage === "integer" || storage === "real");
  const mixed: FieldType = isNumber ? "float64" : "other";
  const type = storages.length === 1 ? (STORAGE_TYPES[storages[0] ?? ""] ?? "other") : mixed;
  return { name, type, dbType: declared ?? storages.join(" | ") };
}

function storageOf(value: Exclude<SqliteValue, null>): string {
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return "real";
  return typeof value === "string" ? "text" : "blob";
}

/** Returns the affinity of a declared type by SQLite's rules (its page "Datatypes", section 3.1). */
function storageOfDeclared(declared: string | null): string {
  const type = (declared ?? "").toUpperCase();
  if (type.includes("INT")) return "integer";
  if (/CHAR|CLOB|TEXT/.test(type)) return "text";
  if (/BLOB/.test(type)) return "blob";
  if (/REAL|FLOA|DOUB|DEC|NUM/.test(type)) return "real";
  return "text";
}
