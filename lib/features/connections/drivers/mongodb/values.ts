import { Binary, BSON, BSONRegExp, Decimal128, Double, Int32, Long, ObjectId, Timestamp, UUID } from "mongodb";
import { ExactNumber } from "@/lib/base/values/exact-json";
import type { FieldType, WireValue } from "@/lib/base/values/fields";
import { toJsonText } from "@/lib/base/values/json-text";
import { floatValue, int64Value } from "../shared/wire-values";

/** A value's type in the field list; `dbType` is MongoDB's $type. Null has none. */
export type ValueType = { type: FieldType; dbType: string };

const UUID_SUBTYPE = 4;
const UUID_BYTES = 16;

/** Converts BSON to wire values. Counts text, so that large cells are detected without encoding them twice. */
export class WireWriter {
  readonly #isExact: boolean;
  #depth = 0;

  /** Minimum bytes of texts and keys since the last `reset`; a UTF-16 unit counts as one. */
  chars = 0;

  /** @param isExact for flows: documents are JSON texts (`JsonText`), and numbers within them keep every digit */
  constructor(isExact = false) {
    this.#isExact = isExact;
  }

  reset(): void {
    this.chars = 0;
  }

  write(value: unknown): WireValue {
    if (value === null || value === undefined) return null;
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number") return floatValue(value);
    if (typeof value === "boolean") return value;
    if (typeof value === "bigint") return this.#int64(String(value));
    if (Array.isArray(value)) return this.#within(() => value.map((item) => this.write(item)));
    if (value instanceof Date) return dateText(value);
    return this.#object(value as object);
  }

  #object(value: object): WireValue {
    if (value instanceof Int32) return value.value;
    if (value instanceof Double) return floatValue(value.value);
    // A Timestamp is a Long to the library.
    if (value instanceof Timestamp) return `Timestamp(${value.t}, ${value.i})`;
    if (value instanceof Long) return this.#int64(value.toString());
    if (value instanceof ObjectId) return value.toHexString();
    if (value instanceof Decimal128) return this.#decimal(value.toString());
    if (value instanceof Binary) return this.#text(binaryText(value));
    if (value instanceof BSONRegExp) return this.#text(`/${value.pattern}/${value.options}`);
    if (value instanceof RegExp) return this.#text(String(value));
    const type = (value as { _bsontype?: unknown })._bsontype;
    const isPlain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
    if (!isPlain && (type === "MinKey" || type === "MaxKey")) return type;
    if (!isPlain && type === "Code") return this.#text(String((value as { code: unknown }).code));
    if (!isPlain && type === "BSONSymbol") return this.#text(String((value as { value: unknown }).value));
    if (!isPlain && type === "DBRef") return this.#entries(Object.entries((value as { toJSON(): object }).toJSON()));
    return this.#entries(Object.entries(value));
  }

  #int64(text: string): WireValue {
    const value = int64Value(text);
    return typeof value === "string" ? this.#exact(value) : value;
  }

  #decimal(text: string): WireValue {
    return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:E[+-]?\d+)?$/.test(text) ? this.#exact(text) : text;
  }

  /** Returns a number within a flow's document or list without quotes, otherwise its text. */
  #exact(text: string): WireValue {
    return this.#isExact && this.#depth > 0 ? (new ExactNumber(text) as unknown as WireValue) : text;
  }

  #within<T>(write: () => T): T {
    this.#depth += 1;
    try {
      return write();
    } finally {
      this.#depth -= 1;
    }
  }

  #entries(entries: [string, unknown][]): WireValue {
    const object = this.#within(() => this.#objectOf(entries));
    return this.#isExact && this.#depth === 0 ? toJsonText(object) : object;
  }

  #objectOf(entries: [string, unknown][]): WireValue {
    const object: { [key: string]: WireValue } = {};
    for (const [key, item] of entries) {
      this.chars += key.length;
      // A field called __proto__ is an ordinary field.
      Object.defineProperty(object, key, {
        value: this.write(item),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return object;
  }

  #text(text: string): string {
    this.chars += text.length;
    return text;
  }
}

/**
 * Returns a value as canonical Extended JSON, which parses to the same value. Empty for a value that no operation can
 * contain, and for a text or bytes above the maximum length.
 */
export function exactJson(value: unknown, charsMax: number): string {
  if (typeof value === "string" && value.length > charsMax) return "";
  if (value instanceof Binary && value.position > charsMax) return "";
  try {
    const text = BSON.EJSON.stringify(value, { relaxed: false });
    return /"\$(?:code|scope|symbol|dbPointer|undefined)":/.test(text) ? "" : text;
  } catch {
    return "";
  }
}

/** Returns the type of a value. @returns null for null and for a missing field */
export function typeOfValue(value: unknown): ValueType | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return { type: "string", dbType: "string" };
  // Numbers in documents are objects; a plain one is a count from the library.
  if (typeof value === "number") return { type: "int64", dbType: "long" };
  if (value instanceof Double) return { type: "float64", dbType: "double" };
  if (typeof value === "boolean") return { type: "boolean", dbType: "bool" };
  if (typeof value === "bigint") return { type: "int64", dbType: "long" };
  if (Array.isArray(value)) return { type: "array", dbType: "array" };
  if (value instanceof Date) return { type: "timestamptz", dbType: "date" };
  if (value instanceof Int32) return { type: "int32", dbType: "int" };
  if (value instanceof Timestamp) return { type: "other", dbType: "timestamp" };
  if (value instanceof Long) return { type: "int64", dbType: "long" };
  if (value instanceof ObjectId) return { type: "objectId", dbType: "objectId" };
  if (value instanceof Decimal128) return { type: "decimal", dbType: "decimal" };
  if (value instanceof Binary) {
    return isUuid(value) ? { type: "string", dbType: "uuid" } : { type: "binary", dbType: "binData" };
  }
  if (value instanceof BSONRegExp || value instanceof RegExp) return { type: "string", dbType: "regex" };
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  const type = (value as { _bsontype?: unknown })._bsontype;
  return isPlain || typeof type !== "string"
    ? { type: "json", dbType: "object" }
    : { type: "other", dbType: type.charAt(0).toLowerCase() + type.slice(1) };
}

function binaryText(value: Binary): string {
  if (isUuid(value)) return new UUID(value.buffer.subarray(0, UUID_BYTES)).toString();
  return Buffer.from(value.buffer.subarray(0, value.position)).toString("base64");
}

function isUuid(value: Binary): boolean {
  return value.sub_type === UUID_SUBTYPE && value.position === UUID_BYTES;
}

/** Returns a date. MongoDB keeps 64-bit milliseconds; those beyond JavaScript's years cannot be shown as a date. */
function dateText(date: Date): string {
  return Number.isNaN(date.getTime()) ? "out of range" : date.toISOString();
}
