import { ExactNumber } from "@/lib/base/values/exact-json";
import type { Batch, Field, FieldType, WireValue } from "@/lib/base/values/fields";
import { toJsonText } from "@/lib/base/values/json-text";

/** Maximum fields of a table; an object with more uses data as names. */
const FIELDS_MAX = 1000;
/** The field for a record that is not an object. */
const VALUE_FIELD = "value";

/** `longInt` is an int64 that no double holds, `decimal` any other such number. */
type Shape = "boolean" | "int64" | "longInt" | "float64" | "decimal" | "string" | "date" | "timestamptz" | "json";

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const INSTANT =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,9})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const INT64_MAX = 2n ** 63n - 1n;

const FIELD_TYPE: Record<Shape, FieldType> = {
  boolean: "boolean",
  int64: "int64",
  longInt: "int64",
  float64: "float64",
  decimal: "decimal",
  string: "string",
  date: "date",
  timestamptz: "timestamptz",
  json: "json",
};

/** Thrown for more than FIELDS_MAX columns. */
export class TooManyFields extends Error {}

/**
 * Converts records to columns whose types follow from their values. A column exists from its first value on, so with
 * each page the fields may grow, and a type may widen: `fields` is the state after it. Nothing shrinks.
 */
export class RecordTable {
  readonly #shapes = new Map<string, Shape>();

  /** Adds the fields of records. @throws TooManyFields */
  learn(records: readonly unknown[]): void {
    for (const record of records) {
      for (const [name, value] of entriesOf(record)) {
        if (value === null || value === undefined) continue;
        const known = this.#shapes.get(name);
        // These two are the widest types for their kind of value.
        if (known === "json" || (known === "string" && typeof value === "string")) continue;
        const shape = shapeOf(value);
        if (shape === known) continue;
        this.#shapes.set(name, known === undefined ? shape : wider(known, shape));
      }
    }
    if (this.#shapes.size > FIELDS_MAX) throw new TooManyFields();
  }

  get fields(): Field[] {
    return [...this.#shapes].map(([name, shape]) => ({ name, type: FIELD_TYPE[shape], dbType: dbTypeOf(shape) }));
  }

  /** Returns learned records as columns of `fields`. */
  toBatch(records: readonly unknown[]): Batch {
    const shapes = [...this.#shapes];
    const columns: WireValue[][] = shapes.map(() => new Array<WireValue>(records.length).fill(null));
    records.forEach((record, row) => {
      const values = isObject(record) ? record : { [VALUE_FIELD]: record };
      shapes.forEach(([name, shape], index) => {
        const column = columns[index];
        if (column) column[row] = Object.hasOwn(values, name) ? toValue(values[name], shape) : null;
      });
    });
    return { rowCount: records.length, columns };
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

function entriesOf(record: unknown): [string, unknown][] {
  return isObject(record) ? Object.entries(record) : [[VALUE_FIELD, record]];
}

function shapeOf(value: unknown): Shape {
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "number":
      return Number.isSafeInteger(value) ? "int64" : "float64";
    case "string":
      if (DAY.test(value)) return "date";
      return INSTANT.test(value) ? "timestamptz" : "string";
    default:
      if (value instanceof ExactNumber) return value.isInteger && isInt64(value.text) ? "longInt" : "decimal";
      return "json";
  }
}

const NUMBERS: ReadonlySet<Shape> = new Set(["int64", "longInt", "float64", "decimal"]);

/**
 * Returns a shape that holds both without changing a value: a double does not hold every int64, so beside one that it
 * does not hold both become decimals. Lists and objects are JSON, and so is everything beside them.
 */
function wider(a: Shape, b: Shape): Shape {
  if (a === b) return a;
  const both = new Set([a, b]);
  if (both.has("json")) return "json";
  if (!NUMBERS.has(a) || !NUMBERS.has(b)) return "string";
  if (both.has("decimal")) return "decimal";
  if (both.has("longInt")) return both.has("float64") ? "decimal" : "longInt";
  return "float64";
}

function toValue(value: unknown, shape: Shape): WireValue {
  if (value === null || value === undefined) return null;
  if (shape === "json") return toJsonText(value);
  if (shape === "timestamptz") return toUtc(String(value));
  if (shape === "string") return typeof value === "string" ? value : JSON.stringify(value);
  if (shape === "decimal" || value instanceof ExactNumber) return String(value);
  return value as WireValue;
}

function toUtc(text: string): string {
  const [, day, time, fraction = "", zone] = INSTANT.exec(text) ?? [];
  if (zone === undefined || zone === "Z") return text;
  const at = Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(at) ? text : `${new Date(at).toISOString().slice(0, -5)}${fraction}Z`;
}

function isInt64(text: string): boolean {
  const value = BigInt(text);
  return value <= INT64_MAX && value >= -INT64_MAX - 1n;
}

/** Returns JSON's name of a type. */
function dbTypeOf(shape: Shape): string {
  if (shape === "int64" || shape === "longInt") return "integer";
  if (shape === "float64" || shape === "decimal") return "number";
  if (shape === "boolean") return "boolean";
  return shape === "json" ? "object" : "string";
}
