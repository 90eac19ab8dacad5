import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from "mongodb";
import { type NestedText, NestedWriter } from "../nested-text";

const UUID_SUBTYPE = 4;
const UUID_BYTES = 16;
/** Maximum length of the items of a list or object on one line, in characters. */
const LINE_CHARS_MAX = 60;

/**
 * Returns a value in shell syntax, which `parseShell` reads back as the same value.
 * @param charsMax maximum length in characters: a longer text ends somewhere after it
 * @param isExact a double without a fraction stays a double
 */
export function toShellText(value: unknown, { charsMax = Number.POSITIVE_INFINITY, isExact = false } = {}): string {
  const writer = new NestedWriter({ charsMax, lineCharsMax: LINE_CHARS_MAX, gap: " ", toName });
  return writer.toText(write(value, { writer, isExact }));
}

type Writing = { writer: NestedWriter; isExact: boolean };

function write(value: unknown, writing: Writing): NestedText {
  const { writer, isExact } = writing;
  if (typeof value === "string") return writer.quoted(value);
  if (Array.isArray(value)) return writer.list(value, (item) => write(item, writing));
  const scalar = toScalar(value, isExact);
  if (scalar !== null) return writer.scalar(scalar);
  return writer.object(value as Record<string, unknown>, (item) => write(item, writing));
}

/** Returns null for an object whose fields are its value. */
function toScalar(value: unknown, isExact: boolean): string | null {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "bigint") return `NumberLong("${value}")`;
  if (value instanceof Date) return `ISODate(${JSON.stringify(value.toISOString())})`;
  if (isExact && value instanceof Double && Number.isInteger(value.value)) return `Double(${value.value})`;
  if (value instanceof Int32 || value instanceof Double) return String(value.value);
  // A Timestamp is a Long to the library.
  if (value instanceof Timestamp) return `Timestamp(${value.t}, ${value.i})`;
  if (value instanceof Long) return `NumberLong("${value}")`;
  if (value instanceof ObjectId) return `ObjectId("${value.toHexString()}")`;
  if (value instanceof Decimal128) return `NumberDecimal("${value}")`;
  if (value instanceof Binary) {
    const isUuid = value.sub_type === UUID_SUBTYPE && value.position === UUID_BYTES;
    if (isUuid) return `UUID("${value.toUUID()}")`;
    return `BinData(${value.sub_type}, "${value.toString("base64")}")`;
  }
  if (value instanceof BSONRegExp) return `RegExp(${JSON.stringify(value.pattern)}, ${JSON.stringify(value.options)})`;
  const type = (value as { _bsontype?: unknown })._bsontype;
  return type === "MinKey" || type === "MaxKey" ? `${type}()` : null;
}

function toName(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
