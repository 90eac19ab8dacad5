import type { Field, WireValue } from "@/lib/base/values/fields";
import { decimalWithin, isUnsigned64, isUuid, precisionOf } from "@/lib/base/values/precision";
import { type ColumnTypes, columnTypeOf } from "../shared/flows/column-types";
import { CellRefused, exactDecimal, exactFloat, isNotANumber, jsonTextOf, textOf, utcText } from "../shared/flows/rows";
import type { TableShape, TargetColumn } from "../shared/flows/table-shape";
import { readerOf } from "./types";

/** The widest decimal, with half of its digits after the point. */
const DECIMAL_MAX = { precision: 76, scale: 38 };
/** Years outside of these ranges are silently stored as others (ClickHouse's pages "Date32" and "DateTime64"). */
const YEARS: readonly [pattern: RegExp, first: number, last: number][] = [
  [/^Date32|^DateTime64/, 1900, 2299],
  [/^DateTime/, 1970, 2105],
  [/^Date/, 1970, 2148],
];

export type ClickHouseShape = TableShape & { engine: string; sortingKey: string[]; comment: string };

export const TABLE_SQL = `
  SELECT database, name, engine, sorting_key, comment FROM system.tables
  WHERE database = if({database:String} = '', currentDatabase(), {database:String}) AND name = {name:String}`;
export const COLUMNS_SQL = `
  SELECT name, type, default_kind, is_in_sorting_key FROM system.columns
  WHERE database = {database:String} AND table = {name:String} ORDER BY position`;

/** @param rows of TABLE_SQL and of COLUMNS_SQL */
export function toShape(
  table: readonly WireValue[] | undefined,
  columns: readonly WireValue[][],
): ClickHouseShape | null {
  if (!table) return null;
  const [database, name, engine, sortingKey, comment] = table.map(String);
  const named = columns.map(([column]) => String(column));
  const keys = (sortingKey ?? "")
    .replace(/^\((.*)\)$/s, "$1")
    .split(", ")
    .map((part) => part.replace(/^(["`])(.*)\1$/s, "$2"));
  return {
    schema: database ?? "",
    name: name ?? "",
    engine: engine ?? "",
    comment: comment ?? "",
    sortingKey: keys.filter((key) => named.includes(key)),
    columns: columns.map(([column, type, kind]) => ({
      name: String(column),
      type: readerOf(String(type)).type,
      dbType: String(type),
      nullable: /^(?:LowCardinality\()?Nullable\(/.test(String(type)),
      ...(/^(?:MATERIALIZED|ALIAS)$/.test(String(kind)) && { isGenerated: true as const }),
    })),
    // ClickHouse's primary key is an order and does not enforce uniqueness, so a reading cannot resume by it.
    primaryKey: [],
    uniqueKeys: [],
  };
}

/** Removes Nullable and LowCardinality. */
export function plainType(dbType: string): string {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/s.exec(dbType)?.[1];
  return inner === undefined ? dbType : plainType(inner);
}

export function clickHouseType(field: Pick<Field, "type" | "dbType">, isKey: boolean): string {
  const type = columnTypeOf(TYPES, field);
  return isKey || type.startsWith("Array(") ? type : `Nullable(${type})`;
}

/** Times, intervals, bytes in base64, lists and objects as JSON are texts. */
const TYPES: ColumnTypes = {
  int32: "Int32",
  int64: (field) => (isUnsigned64(field) ? "UInt64" : "Int64"),
  float64: "Float64",
  decimal(field) {
    const integer = longInteger(field);
    if (integer !== null) return integer;
    const { precision, scale } = decimalWithin(field, DECIMAL_MAX);
    return `Decimal(${precision}, ${scale})`;
  },
  boolean: "Bool",
  date: "Date32",
  timestamp: dateTimeType,
  timestamptz: dateTimeType,
  string: (field) => (isUuid(field) ? "UUID" : "String"),
  other: "String",
};

function dateTimeType({ dbType }: Pick<Field, "dbType">): string {
  return `DateTime64(${/_ns$|\(9/i.test(dbType) ? 9 : 6}, 'UTC')`;
}

/** Returns the type for integers of 128 or 256 bits, of which the longest have more digits than a decimal. */
function longInteger({ dbType }: Pick<Field, "dbType">): string | null {
  const [, sign, bits] = /^(U?)(?:HUGEINT|Int(128|256))$/i.exec(plainType(dbType)) ?? [];
  return sign === undefined ? null : `${sign.toUpperCase()}Int${bits ?? 128}`;
}

/**
 * Returns a value as JSON that the server parses as the column's type. Refuses values that it would silently change.
 */
export function toClickHouseCell(value: Exclude<WireValue, null>, column: TargetColumn): unknown {
  const type = plainType(column.dbType);
  const integer = /^(U?)Int(\d+)$/.exec(type);
  if (integer) return integerOf(value, integer[1] === "U", Number(integer[2]), type);
  if (/^Decimal/.test(type)) {
    if (isNotANumber(value)) throw new CellRefused(`${String(value)} is not a valid ClickHouse decimal.`);
    return decimalOf(exactDecimal(value, { dbType: type }), type);
  }
  if (/^Float/.test(type)) return floatOf(exactFloat(value));
  if (/^Date/.test(type)) return dateOf(textOf(value), type);
  if (/^Bool$/.test(type)) {
    if (typeof value === "boolean") return value;
    throw new CellRefused(`${textOf(value).slice(0, 60)} is not a boolean.`);
  }
  if (/^(?:Array|Map|Tuple|JSON|Object|Nested|Variant|Dynamic)/.test(type)) return value;
  return column.from === "json" ? jsonTextOf(value) : textOf(value);
}

function integerOf(value: Exclude<WireValue, null>, isUnsigned: boolean, bits: number, type: string): string {
  const text = textOf(typeof value === "boolean" ? Number(value) : value);
  const number = /^-?\d{1,78}$/.test(text) ? BigInt(text) : null;
  const high = isUnsigned ? 2n ** BigInt(bits) - 1n : 2n ** BigInt(bits - 1) - 1n;
  const low = isUnsigned ? 0n : -(2n ** BigInt(bits - 1));
  if (number === null || number > high || number < low)
    throw new CellRefused(`${text.slice(0, 60)} is not a value of ${type}.`);
  return text;
}

function decimalOf(text: string, type: string): string {
  const digits = precisionOf({ dbType: type });
  const whole = /^[+-]?0*(\d*)/.exec(text)?.[1] ?? "";
  if (digits !== null && whole.length > digits.precision - digits.scale) {
    throw new CellRefused(`${text.slice(0, 60)} exceeds the precision of ${type}.`);
  }
  return text;
}

function floatOf(value: number | string): number | string {
  const words: Readonly<Record<string, string>> = { NaN: "nan", Infinity: "inf", "-Infinity": "-inf" };
  return typeof value === "string" ? (words[value] ?? value) : value;
}

function dateOf(text: string, type: string): string {
  const [, first = 0, last = 0] = YEARS.find(([pattern]) => pattern.test(type)) ?? [];
  const year = Number(/^([+-]?\d+)-/.exec(text)?.[1] ?? Number.NaN);
  if (!(year >= first && year <= last)) {
    throw new CellRefused(`${text.slice(0, 60)} is out of range for ${type} (${first} to ${last}).`);
  }
  const kept = Number(/^DateTime64\((\d)/.exec(type)?.[1] ?? 0);
  const digits = /:\d\d\.(\d+)/.exec(text)?.[1]?.replace(/0+$/, "") ?? "";
  if (/^DateTime/.test(type) && digits.length > kept) {
    throw new CellRefused(`${text.slice(0, 60)} has more than ${kept} fractional digits, the limit of ${type}.`);
  }
  return /^DateTime/.test(type) ? `${utcText(text)}Z` : text;
}
