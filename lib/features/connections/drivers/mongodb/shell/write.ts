import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from "mongodb";

const UUID_SUBTYPE = 4;
const UUID_BYTES = 16;
const INDENT = "  ";
/** Maximum characters of an object or list on one line. */
const LINE_CHARS_MAX = 60;

/**
 * Returns a value in shell syntax, which `parseShell` reads back as the same value.
 * @param isExact a double without a fraction stays a double
 */
export function toShellText(value: unknown, indent = "", isExact = false): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "bigint") return `NumberLong("${value}")`;
  if (value instanceof Date) return `ISODate(${JSON.stringify(value.toISOString())})`;
  if (Array.isArray(value))
    return wrap(
      value.map((item) => toShellText(item, indent + INDENT, isExact)),
      "[]",
      indent,
    );
  return toTypedText(value as object, indent, isExact);
}

function toTypedText(value: object, indent: string, isExact: boolean): string {
  if (isExact && value instanceof Double && Number.isInteger(value.value)) return `Double(${value.value})`;
  if (value instanceof Int32 || value instanceof Double) return String(value.value);
  // A Timestamp is a Long to the library.
  if (value instanceof Timestamp) return `Timestamp(${value.t}, ${value.i})`;
  if (value instanceof Long) return `NumberLong("${value}")`;
  if (value instanceof ObjectId) return `ObjectId("${value.toHexString()}")`;
  if (value instanceof Decimal128) return `NumberDecimal("${value}")`;
  if (value instanceof Binary) {
    const isUuid = value.sub_type === UUID_SUBTYPE && value.position === UUID_BYTES;
    return isUuid
      ? `UUID("${value.toUUID()}")`
      : `BinData(${value.sub_type}, ${JSON.stringify(value.toString("base64"))})`;
  }
  if (value instanceof BSONRegExp) return `RegExp(${JSON.stringify(value.pattern)}, ${JSON.stringify(value.options)})`;
  const type = (value as { _bsontype?: unknown })._bsontype;
  if (type === "MinKey" || type === "MaxKey") return `${type}()`;
  const entries = Object.entries(value).map(
    ([key, item]) =>
      `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}: ${toShellText(item, indent + INDENT, isExact)}`,
  );
  return wrap(entries, "{}", indent);
}

function wrap(parts: string[], [open, close]: string, indent: string): string {
  if (parts.length === 0) return `${open}${close}`;
  const line = parts.join(", ");
  const gap = open === "{" ? " " : "";
  if (line.length <= LINE_CHARS_MAX && !line.includes("\n")) return `${open}${gap}${line}${gap}${close}`;
  const inner = indent + INDENT;
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(",\n")}\n${indent}${close}`;
}
