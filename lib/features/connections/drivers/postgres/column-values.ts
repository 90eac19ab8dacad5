import type { EntityColumn } from "@/lib/base/values/fields";
import {
  ANY_TIME,
  type Bind,
  type ColumnValues,
  jsonReadings,
  requireBoolean,
  requireBytes,
  requireNumber,
  requireTime,
  type TableValues,
} from "../../column-values";
import { comparedBy, unordered } from "../shared/compared-values";
import { castTo } from "../shared/variables";
import { arrayText, stampText } from "./encode";

/** Types without a btree operator class, which ORDER BY refuses. */
const WITHOUT_ORDER = new Set(
  "json xml point lseg path box polygon line circle jsonpath xid cid aclitem refcursor txid_snapshot pg_snapshot gtsvector".split(
    " ",
  ),
);
const INT8_MAX = 2n ** 63n - 1n;

/** PostgreSQL parses the text of every value, and compares it as the type of the column. */
export const postgresValues: TableValues = {
  nullsLast: " nulls last",
  edits: { emptyRow: "default values", setsDefault: true },
  digest: (texts) => `md5(row(${texts.join(", ")})::text)`,
  of(column, name) {
    const base = baseType(column.type);
    const element = base.replace(/(?:\[\])+$/, "");
    const hasOrder = !WITHOUT_ORDER.has(element);
    const order: ColumnValues["order"] = hasOrder
      ? [{ value: name, text: `${name}::text`, read: (text, bind) => castTo(bind.text(text), column.type) }]
      : null;
    // Without its length, so that the database refuses a longer value: a cast to a length cuts it.
    const storedAs = isInteger(base) ? base : filterType("", base);
    const store = (text: string, bind: Bind) => castTo(bind.text(toText(text, base, column)), storedAs);
    if (element === "json" || element === "jsonb") return { ...jsonValues(name, base, order), store };
    const write = (text: string, bind: Bind) => castTo(bind.text(toText(text, base, column)), filterType(text, base));
    if (hasOrder) return { ...comparedBy(name, order, write), store };
    return { ...unordered(column, name, (text, bind) => `${name}::text = ${write(text, bind)}::text`), store };
  },
};

function jsonValues(name: string, base: string, order: ColumnValues["order"]): ColumnValues {
  if (base.endsWith("]")) {
    const value = `${name}::jsonb[]`;
    const write = (text: string, bind: Bind) => castTo(bind.text(jsonArrayText(text)), "jsonb[]");
    return { ...comparedBy(value, order, write), isNull: `${name} is null` };
  }
  const value = base === "jsonb" ? name : `${name}::jsonb`;
  return {
    order,
    is: (text, bind) => {
      const readings = jsonReadings(text).map((each) => castTo(bind.text(each), "jsonb"));
      return `${value} in (${readings.join(", ")})`;
    },
    compare: (sign, text, bind) => `${value} ${sign} ${castTo(bind.text(jsonReadings(text)[0] ?? text), "jsonb")}`,
    // A page shows both as null.
    isNull: `(${name} is null or ${value} = 'null'::jsonb)`,
  };
}

/** Returns the type without its length or precision, so that a filter value is not cut or rounded. */
function baseType(type: string): string {
  return type.startsWith('"') || type.includes('."') ? type : type.replace(/\((?:\d+)(?:,-?\d+)?\)/g, "");
}

function isInteger(base: string): boolean {
  return base === "smallint" || base === "integer" || base === "bigint";
}

/** Returns the type for comparing a value with a column. */
function filterType(text: string, base: string): string {
  switch (base) {
    case "smallint":
    case "integer":
    case "bigint": {
      const isInteger = /^[+-]?\d+$/.test(text);
      // An index of the column serves only a comparison with an integer.
      return isInteger && BigInt(text) <= INT8_MAX && BigInt(text) >= -INT8_MAX - 1n ? "bigint" : "numeric";
    }
    case "character":
      return "bpchar";
    case "character[]":
      return "bpchar[]";
    case "character varying":
      return "text";
    case "bit":
      return "bit varying";
    default:
      return base.startsWith("interval") ? base.replace(/^interval(?: [a-z ]+)?/, "interval") : base;
  }
}

/** Returns the shown text in the form that PostgreSQL parses. */
function toText(shown: string, base: string, column: EntityColumn): string {
  switch (base) {
    case "smallint":
    case "integer":
    case "bigint":
    case "numeric":
    case "real":
    case "double precision":
      requireNumber(shown, column);
      return shown;
    case "boolean":
      return String(requireBoolean(shown, column));
    case "bytea":
      return `\\x${requireBytes(shown, column).toString("hex")}`;
    case "date":
    case "timestamp without time zone":
    case "timestamp with time zone":
      requireTime(shown, column, ANY_TIME);
      return stampText(withZone(shown, base));
  }
  if (!base.endsWith("]")) return shown;
  if (base.startsWith("json")) return jsonArrayText(shown);
  const items = parsed(shown);
  return Array.isArray(items)
    ? arrayText(items, { name: column.name, type: "array", dbType: base, nullable: true, from: "array" })
    : shown;
}

/** Adds UTC to a time without a zone, as pages show it. */
function withZone(shown: string, base: string): string {
  if (base !== "timestamp with time zone" || /(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(shown.slice(10))) return shown;
  return shown.endsWith("infinity") ? shown : `${shown}Z`;
}

function jsonArrayText(shown: string): string {
  const items = parsed(shown);
  if (!Array.isArray(items)) return shown;
  const element = (item: unknown) =>
    item === null ? "NULL" : `"${JSON.stringify(item).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  return `{${items.map(element).join(",")}}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
