import type { FieldType, WireValue } from "@/lib/base/values/fields";
import { jsonText } from "@/lib/base/values/json-text";
import { float32Value, floatValue, int64Value, jsonCell, trimFraction } from "../shared/wire-values";

/** The protocol's description of a column (the library's ColumnDefinition). */
export type Column = {
  name: string;
  columnType: number;
  columnLength: number;
  characterSet: number;
  decimals: number;
  flags: number;
  /** MariaDB's format: `json`. */
  extendedFormat?: string;
  /** MariaDB's type name: `uuid`, `inet6`. */
  extendedTypeName?: string;
};

export type ColumnReader = { type: FieldType; dbType: string; read: (value: unknown) => WireValue };

// Type numbers and flags of the protocol (its page "Column Definition").
const UNSIGNED_FLAG = 32;
const ENUM_FLAG = 256;
const SET_FLAG = 2048;
const BINARY_CHARSET = 63;
/** Bytes of a utf8mb4 character, the session's character set, at most. */
const CHARACTER_BYTES = 4;
const INTEGERS: Readonly<Record<number, string>> = { 1: "tinyint", 2: "smallint", 3: "int", 9: "mediumint" };
const BLOBS: Readonly<Record<number, string>> = { 249: "tiny", 250: "medium", 251: "long", 252: "" };

/**
 * Returns the reader of a column's values. Plain queries return text, prepared ones numbers. Both give the same values,
 * except for FLOAT: a query with one is prepared (`MysqlSession.hasFloat`).
 */
export function readerOf(column: Column, jsonAsText = false): ColumnReader {
  const { columnType: type, flags, columnLength, decimals } = column;
  const sign = (flags & UNSIGNED_FLAG) !== 0 ? " unsigned" : "";
  if (column.extendedFormat === "json" || type === 245)
    return { type: "json", dbType: "json", read: jsonAsText ? readJsonText : readJson };
  const integer = INTEGERS[type];
  if (integer !== undefined) {
    // An unsigned INT exceeds int32.
    const isWide = type === 3 && sign !== "";
    return { type: isWide ? "int64" : "int32", dbType: integer + sign, read: Number };
  }
  switch (type) {
    case 8:
      return { type: "int64", dbType: `bigint${sign}`, read: (value) => int64Value(String(value)) };
    case 13:
      return { type: "int32", dbType: "year", read: Number };
    case 4:
      return { type: "float64", dbType: `float${sign}`, read: (value) => float32Value(Number(value)) };
    case 5:
      return { type: "float64", dbType: `double${sign}`, read: (value) => floatValue(Number(value)) };
    case 0:
    case 246: {
      const digits = columnLength - (decimals > 0 ? 1 : 0) - (sign === "" ? 1 : 0);
      return { type: "decimal", dbType: `decimal(${digits},${decimals})${sign}`, read: String };
    }
    case 10:
    case 14:
      return { type: "date", dbType: "date", read: String };
    case 11:
      return { type: "time", dbType: "time", read: (value) => trimFraction(String(value)) };
    case 12:
      return { type: "timestamp", dbType: "datetime", read: (value) => stampText(String(value)) };
    case 7:
      return { type: "timestamptz", dbType: "timestamp", read: (value) => `${stampText(String(value))}Z` };
    case 16:
      return { type: "string", dbType: `bit(${columnLength})`, read: (value) => bitText(value, columnLength) };
    case 242:
      return { type: "binary", dbType: "vector", read: readBinary };
    case 255:
      return { type: "binary", dbType: "geometry", read: readBinary };
    case 6:
      return { type: "string", dbType: "null", read: () => null };
    default:
      return textReader(column);
  }
}

function textReader({ columnType: type, characterSet, columnLength, flags, extendedTypeName }: Column): ColumnReader {
  if (extendedTypeName !== undefined) return { type: "string", dbType: extendedTypeName, read: readText };
  if ((flags & ENUM_FLAG) !== 0) return { type: "string", dbType: "enum", read: readText };
  if ((flags & SET_FLAG) !== 0) return { type: "string", dbType: "set", read: readText };
  const isBinary = characterSet === BINARY_CHARSET;
  const size = BLOBS[type];
  const read = isBinary ? readBinary : readText;
  const kind = isBinary ? "binary" : "string";
  if (size !== undefined) return { type: kind, dbType: `${size}${isBinary ? "blob" : "text"}`, read };
  const length = isBinary ? columnLength : Math.floor(columnLength / CHARACTER_BYTES);
  const name = `${type === 254 ? "" : "var"}${isBinary ? "binary" : "char"}`;
  return { type: kind, dbType: `${name}(${length})`, read };
}

function readText(value: unknown): WireValue {
  return Buffer.isBuffer(value) ? value.toString("utf8") : String(value);
}

function readBinary(value: unknown): WireValue {
  return Buffer.isBuffer(value) ? value.toString("base64") : Buffer.from(String(value)).toString("base64");
}

function readJsonText(value: unknown): WireValue {
  return jsonText(String(value));
}

function readJson(value: unknown): WireValue {
  return jsonCell(String(value));
}

/** Converts a timestamp. The date 0000-00-00, MySQL's value for "none", stays unchanged. */
function stampText(text: string): string {
  return trimFraction(text.replace(" ", "T"));
}

function bitText(value: unknown, length: number): WireValue {
  if (!Buffer.isBuffer(value)) return String(value);
  const bits = [...value].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.slice(-length).padStart(length, "0");
}
