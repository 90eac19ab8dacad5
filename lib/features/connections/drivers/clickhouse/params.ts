import { ExactNumber } from "@/lib/base/values/exact-json";
import { AppError } from "@/lib/platform/http/errors";
import { checkText } from "../shared/params";

/**
 * Returns values for `{name:Type}` as query parameters: escaped as in the format TabSeparated, lists and maps as
 * ClickHouse literals.
 * @throws AppError `invalid_request`
 */
export function toClickHouseParams(params: unknown[] | Record<string, unknown> | undefined): [string, string][] {
  if (params === undefined) return [];
  if (Array.isArray(params)) {
    if (params.length === 0) return [];
    throw new AppError("invalid_request", "params must be an object. ClickHouse placeholders are {name:Type}.");
  }
  return Object.entries(params).map(([name, value]) => {
    if (!/^[A-Za-z_]\w{0,100}$/.test(name)) {
      throw new AppError("invalid_request", "Parameter names can contain letters, digits and underscores.");
    }
    return [`param_${name}`, parameterText(value)];
  });
}

/**
 * Escapes a value. The same escapes apply at the top level and within quoted list items, which are decoded only once.
 */
function parameterText(value: unknown): string {
  if (value === null || value === undefined) return "\\N";
  if (value instanceof ExactNumber) return value.text;
  if (typeof value === "object") return literal(value);
  return typeof value === "string" ? escaped(value) : String(value);
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "string") return `'${escaped(value)}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(",")}]`;
  if (typeof value !== "object" || value instanceof ExactNumber) return String(value);
  const entries = Object.entries(value).map(([key, item]) => `${literal(key)}:${literal(item)}`);
  return `{${entries.join(",")}}`;
}

function escaped(text: string): string {
  return checkText(text).replace(/[\\'\t\n\r\0\b\f]/g, (char) => ESCAPES[char] ?? char);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  "\0": "\\0",
  "\b": "\\b",
  "\f": "\\f",
};
