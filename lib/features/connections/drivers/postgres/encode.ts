import type { WireValue } from "@/lib/base/values/fields";
import { toEra } from "../../column-values";
import {
  CellRefused,
  exactDecimal,
  exactFloat,
  exactMicros,
  isNotANumber,
  jsonTextOf,
  textOf,
} from "../shared/flows/rows";
import type { TableColumn, TargetColumn } from "../shared/flows/table-shape";

/** Returns the text that PostgreSQL parses as a column's type, from which `decode.ts` returns the value. */
export function toPostgresText(value: Exclude<WireValue, null>, column: TargetColumn): string {
  const text = write(value, column);
  if (!text.includes("\0")) return text;
  throw new CellRefused("PostgreSQL can't store NUL characters in text.");
}

/** Returns the text of a value that was read from the column itself. */
export function ownText(value: Exclude<WireValue, null>, column: TableColumn): string {
  return toPostgresText(value, { ...column, from: column.type });
}

function write(value: Exclude<WireValue, null>, column: TargetColumn): string {
  switch (column.type) {
    case "int32":
    case "int64":
      return typeof value === "boolean" ? String(Number(value)) : textOf(value);
    case "float64":
      return Object.is(value, -0) ? "-0" : String(exactFloat(value));
    case "decimal":
      return isNotANumber(value) ? String(value) : exactDecimal(value, column);
    case "date":
    case "timestamp":
    case "timestamptz":
      return stampText(exactMicros(textOf(value)));
    case "time":
      return exactMicros(textOf(value));
    case "json":
      // A text from a text column is parsed as JSON; a JSON value is written as one.
      return column.from === "string" ? textOf(value) : jsonTextOf(value);
    case "array":
      return Array.isArray(value) ? arrayText(value, column) : textOf(value);
    case "binary":
      return column.from === "binary"
        ? `\\x${Buffer.from(String(value), "base64").toString("hex")}`
        : `\\x${Buffer.from(textOf(value)).toString("hex")}`;
    default:
      return textOf(value);
  }
}

/** Converts years beyond four digits, and those before the first. */
export function stampText(time: string): string {
  const { text, isBc } = toEra(time);
  return isBc ? `${text} BC` : text;
}

export function arrayText(items: readonly WireValue[], column: TargetColumn): string {
  const element = column.dbType.replace(/(\[\])+$/, "");
  const isBinary = element === "bytea" && column.from === "array";
  const texts = items.map((item) => {
    if (item === null) return "NULL";
    if (Array.isArray(item)) return arrayText(item, column);
    const plain = isBinary ? `\\x${Buffer.from(String(item), "base64").toString("hex")}` : textOf(item);
    const text = /^(?:date|timestamp)/.test(element) ? stampText(plain) : plain;
    return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  });
  return `{${texts.join(",")}}`;
}
