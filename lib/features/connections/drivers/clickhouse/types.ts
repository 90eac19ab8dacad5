import { ExactNumber } from "@/lib/base/values/exact-json";
import type { FieldType, WireValue } from "@/lib/base/values/fields";
import {
  asIs,
  type ColumnReader,
  jsonTextReader,
  listReader,
  nullable,
  objectReader,
  type ValueReader,
} from "../shared/value-readers";
import { exactNumber, int64Value } from "../shared/wire-values";

const asInt64 = (value: unknown): WireValue => int64Value(String(value));
const DENORMALS: Readonly<Record<string, string>> = {
  nan: "NaN",
  "-nan": "NaN",
  inf: "Infinity",
  "+inf": "Infinity",
  "-inf": "-Infinity",
};
const asFloat = (value: unknown): WireValue =>
  typeof value === "string"
    ? (DENORMALS[value] ?? value)
    : value instanceof ExactNumber
      ? Number(value.text)
      : asIs(value);
const asText = (value: unknown): WireValue =>
  typeof value === "object" && !(value instanceof ExactNumber) ? asIs(value) : String(value);

const SCALARS: [pattern: RegExp, type: FieldType, read: (value: unknown) => WireValue][] = [
  [/^(?:U?Int8|U?Int16|Int32)$/, "int32", asIs],
  [/^(?:UInt32|U?Int64|Interval.*)$/, "int64", asInt64],
  [/^U?Int(?:128|256)$/, "decimal", asText],
  [/^Decimal/, "decimal", asText],
  [/^(?:Float(?:32|64)|BFloat16)$/, "float64", asFloat],
  [/^Bool$/, "boolean", asIs],
  [/^(?:String|FixedString.*|UUID|IPv[46]|Enum.*)$/, "string", asText],
  [/^Date(?:32)?$/, "date", asText],
  [/^DateTime/, "timestamptz", asText],
  [/^Time/, "time", asText],
  [/^(?:JSON|Object|Dynamic|Variant|Nested)/, "json", asIs],
  [/^Nothing$/, "string", () => null],
];

/** Returns a reader that keeps JSON as text, for values in which `parseExactJson` kept every digit. */
export function exactReaderOf(name: string): ColumnReader {
  const reader = readerOf(name, true);
  return reader.type === "json" ? { type: "json", ...jsonTextReader } : reader;
}

/**
 * Returns the reader of a type, for the server's JSON with the settings of `request.ts`.
 * @param name a type as the server writes it, `Array(Nullable(Int64))`
 * @param isExact numbers within lists that no double holds are numbers (`ExactNumber`), not texts
 */
export function readerOf(name: string, isExact = false): ColumnReader {
  const [outer, inner] = partsOf(name);
  const [first = ""] = inner;
  if (outer === "LowCardinality" || outer === "SimpleAggregateFunction") return readerOf(inner.at(-1) ?? "", isExact);
  if (outer === "Nullable") {
    const reader = readerOf(first, isExact);
    return { type: reader.type, ...nullable(reader) };
  }
  if (outer === "Array") {
    const reader = readerOf(first, isExact);
    const isNumber = isExact && (reader.type === "int64" || reader.type === "decimal");
    const item = isNumber ? { read: (value: unknown) => exactNumber(reader.read(value)) } : reader;
    return { type: "array", ...listReader(() => item, asIs) };
  }
  if (outer === "Map") {
    const reader = readerOf(inner[1] ?? "");
    return { type: "json", ...objectReader(() => reader, asIs) };
  }
  if (outer === "Tuple") return tupleReader(inner);
  const scalar = SCALARS.find(([pattern]) => pattern.test(name));
  return scalar ? { type: scalar[1], read: scalar[2] } : { type: "other", read: asIs };
}

/** Reads a tuple, an object when its fields have names and a list otherwise. */
function tupleReader(items: readonly string[]): ColumnReader {
  const named = items.map((item) => /^(`(?:[^`\\]|\\.)*`|[A-Za-z_]\w*) (.+)$/s.exec(item));
  if (items.length > 0 && named.every((match) => match !== null)) {
    const readers = new Map(
      named.map((match) => [(match?.[1] ?? "").replace(/^`|`$/g, ""), readerOf(match?.[2] ?? "")]),
    );
    return { type: "json", ...objectReader((key) => readers.get(key) ?? UNREAD, asIs) };
  }
  const readers = items.map((item) => readerOf(item));
  return { type: "json", ...listReader((index) => readers[index] ?? UNREAD, asIs) };
}

const UNREAD: ValueReader = { read: asIs };

/** Splits a type into its name and arguments: `Map(String, Array(Int8))` is Map with two arguments. */
function partsOf(name: string): [outer: string, inner: string[]] {
  const open = name.indexOf("(");
  if (open < 0 || !name.endsWith(")")) return [name, []];
  const inner: string[] = [];
  let depth = 0;
  let quote = "";
  let start = open + 1;
  for (let at = open + 1; at < name.length - 1; at += 1) {
    const char = name.charAt(at);
    if (quote !== "") {
      if (char === "\\") at += 1;
      else if (char === quote) quote = "";
    } else if (char === "'" || char === "`") quote = char;
    else if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    else if (char === "," && depth === 0) {
      inner.push(name.slice(start, at).trim());
      start = at + 1;
    }
  }
  inner.push(name.slice(start, -1).trim());
  return [name.slice(0, open), inner];
}
