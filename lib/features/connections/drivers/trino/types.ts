import { ExactNumber } from "@/lib/base/values/exact-json";
import type { WireValue } from "@/lib/base/values/fields";
import { jsonText } from "@/lib/base/values/json-text";
import { asIs, type ColumnReader, listReader, objectOf, objectReader, type ValueReader } from "../shared/value-readers";
import { int64Value, isLargeText, jsonValue, jsonValuePaced, trimFraction } from "../shared/wire-values";
import { offsetOfLocal } from "./time-zones";

/** A type as the server describes it: `map(varchar, bigint)` is rawType map with two arguments. */
export type TypeSignature = {
  rawType: string;
  arguments?: { kind: string; value: unknown }[];
};

const asNull = () => null;
const asText = (value: unknown): WireValue => (value === null ? null : String(value));

const SCALARS: Readonly<Record<string, ColumnReader | undefined>> = {
  boolean: { type: "boolean", read: asIs },
  tinyint: { type: "int32", read: asIs },
  smallint: { type: "int32", read: asIs },
  integer: { type: "int32", read: asIs },
  bigint: { type: "int64", read: (value) => (value === null ? null : int64Value(String(value))) },
  // NaN and the infinities are sent as those words.
  real: { type: "float64", read: asIs },
  double: { type: "float64", read: asIs },
  decimal: { type: "decimal", read: asText },
  varchar: { type: "string", read: asText },
  char: { type: "string", read: asText },
  uuid: { type: "string", read: asText },
  ipaddress: { type: "string", read: asText },
  varbinary: { type: "binary", read: asText },
  date: { type: "date", read: textReader(dateText) },
  time: { type: "time", read: textReader(trimFraction) },
  "time with time zone": { type: "time", read: textReader(zonedTime) },
  timestamp: { type: "timestamp", read: textReader(timestamp) },
  "timestamp with time zone": { type: "timestamptz", read: textReader(zonedTimestamp) },
  "interval day to second": { type: "interval", read: textReader(dayInterval) },
  "interval year to month": { type: "interval", read: textReader(monthInterval) },
  json: {
    type: "json",
    read: textReader(jsonValue),
    readSliced: (value, pause) => {
      if (typeof value !== "string") return null;
      return isLargeText(value) ? jsonValuePaced(value, async () => pause()) : jsonValue(value);
    },
  },
  unknown: { type: "string", read: () => null },
};

/** Returns the reader of a type, for the protocol's JSON. */
export function readerOf(signature: TypeSignature, jsonAsText = false): ColumnReader {
  if (jsonAsText && signature.rawType === "json") return { type: "json", read: textReader(jsonText) };
  const inner = (signature.arguments ?? []).map(({ value }) => value);
  if (signature.rawType === "array") {
    const item = itemReaderOf(inner[0] as TypeSignature, jsonAsText);
    return { type: "array", ...listReader(() => item, asNull) };
  }
  if (signature.rawType === "map") {
    const item = itemReaderOf(inner[1] as TypeSignature, jsonAsText);
    return { type: "json", ...objectReader(() => item, asNull) };
  }
  if (signature.rawType === "row") return rowReader(inner as RowField[], jsonAsText);
  return SCALARS[signature.rawType] ?? { type: "other", read: asIs };
}

/**
 * Returns a reader of items: numbers that no double holds are numbers in flows (`ExactNumber`), and texts in responses.
 */
function itemReaderOf(signature: TypeSignature, jsonAsText: boolean): ColumnReader {
  const reader = readerOf(signature, jsonAsText);
  const isNumber = jsonAsText && (signature.rawType === "bigint" || signature.rawType === "decimal");
  if (!isNumber) return reader;
  const read = (value: unknown): WireValue => {
    const text = reader.read(value);
    const isText = typeof text === "string" && /^-?\d+(?:\.\d+)?$/.test(text);
    return isText ? (new ExactNumber(text) as unknown as WireValue) : text;
  };
  return { type: reader.type, read };
}

type RowField = { fieldName?: { name: string }; typeSignature: TypeSignature };

/** Reads a row, which comes as a list. If all its names are distinct, it becomes an object. */
function rowReader(fields: readonly RowField[], jsonAsText: boolean): ColumnReader {
  const readers = fields.map(({ typeSignature }) => itemReaderOf(typeSignature, jsonAsText));
  const list = listReader((index) => readers[index] ?? UNREAD, asNull);
  const names = fields.map(({ fieldName }) => fieldName?.name);
  const isNamed = names.every((name) => name !== undefined) && new Set(names).size === names.length;
  if (!isNamed) return { type: "json", ...list };
  const named = (items: WireValue) =>
    Array.isArray(items) ? objectOf(names, (_, index) => items[index] ?? null) : null;
  return {
    type: "json",
    read: (value) => named(list.read(value)),
    readSliced: async (value, pause) => named((await list.readSliced?.(value, pause)) ?? null),
  };
}

const UNREAD: ValueReader = { read: asNull };

function textReader(read: (text: string) => WireValue): (value: unknown) => WireValue {
  return (value) => (typeof value === "string" ? read(value) : null);
}

/** Returns a date in ISO form, with four digits of a year, or a sign and six. */
function dateText(text: string): string {
  const [, sign = "", year = "", rest = ""] = /^([+-]?)(\d+)(-\d\d-\d\d.*)$/s.exec(text) ?? [];
  if (year === "" || (sign === "" && year.length === 4)) return text;
  return `${sign || "+"}${year.padStart(6, "0")}${rest}`;
}

function timestamp(text: string): string {
  return trimFraction(dateText(text).replace(" ", "T"));
}

/** Parses `10:00:00.100 +02:00`; older servers add the blank. */
function zonedTime(text: string): string {
  const [, time, zone] = /^([\d:.]+) ?([+-]\d\d:\d\d)$/.exec(text) ?? [];
  return time === undefined ? text : `${trimFraction(time)}${zone}`;
}

/** Converts `2026-03-01 10:00:00.000 Europe/Paris` to its instant, in UTC with all digits. */
function zonedTimestamp(text: string): string {
  const [, day = "", time = "", fraction = "", zone = ""] =
    /^([+-]?\d+-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)? (\S+)$/.exec(text) ?? [];
  const local = Date.parse(`${dateText(day)}T${time}Z`);
  const offset = Number.isNaN(local) ? null : offsetOfLocal(local, zone);
  // A year or a zone that the runtime does not know: the server's text is kept.
  if (offset === null) return text;
  const instant = new Date(local - offset).toISOString().replace(/\.\d+Z$/, "");
  return `${trimFraction(`${instant}${fraction}`)}Z`;
}

/** Parses `-2 03:04:05.678`. */
function dayInterval(text: string): string {
  const [, sign = "", days, hours, minutes, seconds] = /^(-?)(\d+) (\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (days === undefined) return text;
  const part = (digits: string | undefined, unit: string) => {
    const number = trimFraction(String(digits).replace(/^0+(?=\d)/, ""));
    return number === "0" ? "" : `${sign}${number}${unit}`;
  };
  const time = `${part(hours, "H")}${part(minutes, "M")}${part(seconds, "S")}`;
  const whole = `P${part(days, "D")}${time && `T${time}`}`;
  return whole === "P" ? "PT0S" : whole;
}

/** Parses `-1-2`, minus one year and two months. */
function monthInterval(text: string): string {
  const [, sign = "", years, months] = /^(-?)(\d+)-(\d+)$/.exec(text) ?? [];
  if (years === undefined) return text;
  const part = (digits: string | undefined, unit: string) => (Number(digits) === 0 ? "" : `${sign}${digits}${unit}`);
  const whole = `P${part(years, "Y")}${part(months, "M")}`;
  return whole === "P" ? "PT0S" : whole;
}
