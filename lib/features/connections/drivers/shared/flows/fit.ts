import type { Field, FieldType } from "@/lib/base/values/fields";
import { precisionOf } from "@/lib/base/values/precision";

/** The type of a column, or the type that it shall get. */
export type ColumnType = Pick<Field, "type" | "dbType">;

/** Column types that hold every value of a field's type, or report which row does not fit. */
const FITS: Readonly<Record<FieldType, readonly FieldType[]>> = {
  int32: ["int32", "int64", "decimal", "float64", "string"],
  int64: ["int64", "decimal", "string"],
  float64: ["float64", "decimal", "string"],
  // A double takes the decimals that it holds; a row with more digits is refused.
  decimal: ["decimal", "float64", "string"],
  boolean: ["boolean", "int32", "int64", "string"],
  // The database parses texts as the column's type, and refuses a row whose text is invalid.
  string: ["string", "date", "time", "timestamp", "timestamptz", "interval", "json", "objectId", "other"],
  date: ["date", "timestamp", "timestamptz", "string"],
  time: ["time", "string"],
  // Without a zone they are in UTC.
  timestamp: ["timestamp", "timestamptz", "string"],
  timestamptz: ["timestamptz", "timestamp", "string"],
  interval: ["interval", "string"],
  json: ["json", "string"],
  array: ["array", "json", "string"],
  binary: ["binary", "string"],
  objectId: ["objectId", "string"],
  other: ["other", "json", "string"],
};

/** Wider types of numeric columns; a person decides about any other. */
const WIDER: readonly [column: FieldType, field: FieldType, wider: FieldType][] = [
  ["int32", "int64", "int64"],
  ["int32", "decimal", "decimal"],
  ["int64", "decimal", "decimal"],
  ["int32", "float64", "float64"],
  // A double does not hold every int64.
  ["int64", "float64", "decimal"],
  ["date", "timestamp", "timestamp"],
  ["date", "timestamptz", "timestamptz"],
];

/**
 * Returns the type that a column needs so that a field's values fit into it.
 * @returns "fits", the wider type, or null where no automatic change is safe
 */
export function widening(column: ColumnType, field: ColumnType): "fits" | ColumnType | null {
  if (column.type === "decimal" && (field.type === "decimal" || field.type === "int64" || field.type === "int32")) {
    return widerDecimal(column, field);
  }
  if (FITS[field.type].includes(column.type)) return "fits";
  const [, , wider] = WIDER.find(([from, to]) => from === column.type && to === field.type) ?? [];
  if (wider === undefined) return null;
  if (wider !== "decimal") return { type: wider, dbType: wider === field.type ? field.dbType : "" };
  // A decimal that also holds the column's integers.
  const whole = { type: "decimal", dbType: `decimal(${digitsOf(column)},0)` } as const;
  const both = field.type === "decimal" && precisionOf(field) !== null ? widerDecimal(whole, field) : null;
  return both === "fits" ? whole : (both ?? { type: "decimal", dbType: "" });
}

const INT64_DIGITS = 19;
const INT32_DIGITS = 10;

function digitsOf({ type }: ColumnType): number {
  return type === "int64" ? INT64_DIGITS : INT32_DIGITS;
}

function widerDecimal(column: ColumnType, field: ColumnType): "fits" | ColumnType {
  const has = precisionOf(column);
  const needs = field.type === "decimal" ? precisionOf(field) : { precision: digitsOf(field), scale: 0 };
  // An unbounded decimal takes all; undeclared digits are checked row by row.
  if (has === null || needs === null) return "fits";
  const scale = Math.max(has.scale, needs.scale);
  const whole = Math.max(has.precision - has.scale, needs.precision - needs.scale);
  if (scale === has.scale && whole === has.precision - has.scale) return "fits";
  return { type: "decimal", dbType: `decimal(${whole + scale},${scale})` };
}
