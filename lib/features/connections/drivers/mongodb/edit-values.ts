import {
  Binary,
  BSONRegExp,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from "mongodb";
import { isRounded } from "@/lib/base/values/exact-json";
import { AppError } from "@/lib/platform/http/errors";
import { type NestedText, NestedWriter } from "./nested-text";
import { decimalOf, integerOf, isExtendedType, readObjectForm } from "./object-form";
import { typeOfValue, WireWriter } from "./values";

/*
 * Values that a person edits: the text of a value, and the value that a text means. A value keeps its BSON type through
 * both, which its displayed form does not name.
 */

/** MongoDB's limit of nested documents. */
const DEPTH_MAX = 100;
/** Maximum length of the items of a list or object on one line, in characters. */
const LINE_CHARS_MAX = 80;
const UUID_SUBTYPE = 4;
const UUID_BYTES = 16;
/** Bytes whose subtypes MongoDB defines, without UUID, and the first user-defined one. A page does not show them. */
const SUBTYPES = [0, 1, 2, 3, 5, 6, 7, 8, 9, 0x80];
/** Maximum number of values that an `_id` may mean. */
const CANDIDATES_MAX = 64;
/**
 * Maximum length of the text of an `_id`, in characters: its readings are tried in the server's thread. Old servers
 * allow 1 KiB in an index, and long ids are rare on new ones.
 */
const ID_CHARS_MAX = 4096;
/** Dates that JSON's form of a date can express. */
const ISO_YEAR_MAX = 9999;
const DAY = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d/;
const DECIMAL = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** Prototypes of values, other than dates, that are neither a list nor an object. */
const SCALARS: ReadonlySet<unknown> = new Set(
  [Int32, Double, Long, Timestamp, Decimal128, ObjectId, Binary, UUID, BSONRegExp, MinKey, MaxKey].map(
    ({ prototype }) => prototype,
  ),
);
const NUMBER_TYPES = ["int", "long", "double", "decimal"];
/** Types in the order in which a text is tried, the narrowest first. */
const TRIED_TYPES = [
  "objectId",
  "uuid",
  "date",
  "bool",
  ...NUMBER_TYPES,
  "timestamp",
  "object",
  "array",
  "regex",
  "string",
];

/** Returns the text that a page shows for a value, null for none: as a filter's value. */
export function toShownText(value: unknown): string | null {
  const shown = new WireWriter().write(value);
  return shown === null || typeof shown === "string" ? shown : JSON.stringify(shown);
}

/**
 * Returns a value as Extended JSON that `fromEditText` parses to the same value, with plain integers (32 bits) and plain
 * doubles (with a fraction or an exponent). Empty for a value without such a text, or with a longer one.
 */
export function toEditText(value: unknown, charsMax: number): string {
  if (!hasEditText(value)) return "";
  const toName = (key: string) => JSON.stringify(key);
  const writer = new NestedWriter({ charsMax, lineCharsMax: LINE_CHARS_MAX, gap: "", toName });
  const text = writer.toText(write(value, writer));
  return text.length > charsMax ? "" : text;
}

function write(value: unknown, writer: NestedWriter): NestedText {
  if (typeof value === "string") return writer.quoted(value);
  if (Array.isArray(value)) return writer.list(value, (item) => write(item, writer));
  if (typeof value !== "object" || value === null) {
    return writer.scalar(typeof value === "number" ? doubleText(value) : JSON.stringify(value));
  }
  const scalar = value instanceof Date ? dateForm(value) : scalarForm(value);
  if (scalar !== null) return writer.scalar(scalar);
  return writer.object(fieldsOf(value) ?? {}, (item) => write(item, writer));
}

/** Returns whether a value of any size has a text to edit, without writing it. */
export function hasEditText(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return value !== undefined && typeof value !== "bigint";
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  if (SCALARS.has(Object.getPrototypeOf(value))) return true;
  const inner = Array.isArray(value) ? value : fieldsOf(value);
  if (inner === null || depth === DEPTH_MAX) return false;
  const items: readonly unknown[] = Array.isArray(inner) ? inner : Object.values(inner);
  return items.every((each) => hasEditText(each, depth + 1));
}

/** Returns the fields of an object. Null for one of another type, or whose text would be read as one. */
function fieldsOf(value: object): Record<string, unknown> | null {
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  const isReference = !isPlain && (value as { _bsontype?: unknown })._bsontype === "DBRef";
  if (!isPlain && !isReference) return null;
  const fields = (isReference ? (value as { toJSON(): object }).toJSON() : value) as Record<string, unknown>;
  return Object.keys(fields).some(isExtendedType) ? null : fields;
}

/** Returns the form of a value that is neither a list nor an object; null for other values. */
function scalarForm(value: object): string | null {
  if (value instanceof Int32) return String(value.value);
  if (value instanceof Double) return doubleText(value.value);
  // A Timestamp is a Long to the library.
  if (value instanceof Timestamp) return `{"$timestamp": {"t": ${value.t}, "i": ${value.i}}}`;
  if (value instanceof Long) return `{"$numberLong": "${value}"}`;
  if (value instanceof Decimal128) return `{"$numberDecimal": "${value}"}`;
  if (value instanceof ObjectId) return `{"$oid": "${value.toHexString()}"}`;
  if (value instanceof Binary) return binaryForm(value);
  if (value instanceof BSONRegExp) {
    const { pattern, options } = value;
    return `{"$regularExpression": {"pattern": ${JSON.stringify(pattern)}, "options": ${JSON.stringify(options)}}}`;
  }
  if (value instanceof MinKey) return '{"$minKey": 1}';
  return value instanceof MaxKey ? '{"$maxKey": 1}' : null;
}

function doubleText(value: number): string {
  const isPlain = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (!isPlain) return `{"$numberDouble": "${value}"}`;
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function dateForm(date: Date): string {
  const year = date.getUTCFullYear();
  if (year < 0 || year > ISO_YEAR_MAX) return `{"$date": {"$numberLong": "${date.getTime()}"}}`;
  return `{"$date": "${date.toISOString()}"}`;
}

function binaryForm(value: Binary): string {
  if (value.sub_type === UUID_SUBTYPE && value.position === UUID_BYTES) return `{"$uuid": "${value.toUUID()}"}`;
  const base64 = Buffer.from(value.buffer.subarray(0, value.position)).toString("base64");
  const subType = value.sub_type.toString(16).padStart(2, "0");
  return `{"$binary": {"base64": "${base64}", "subType": "${subType}"}}`;
}

/** Parses Extended JSON as `toEditText` writes it. @throws AppError `invalid_request` */
export function fromEditText(text: string): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text, toNumbers as (key: string, value: unknown) => unknown);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("invalid_request", `Enter JSON, with texts in quotes. ${messageOf(error)}`, { cause: error });
  }
  if (isDeeper(parsed, DEPTH_MAX)) throw new AppError("invalid_request", `Nested over ${DEPTH_MAX} levels.`);
  let value: unknown;
  try {
    value = readObjectForm(parsed);
  } catch (error) {
    throw new AppError("invalid_request", `Invalid Extended JSON. ${messageOf(error)}`, { cause: error });
  }
  requireStorable(value);
  return value;
}

/** @throws AppError `invalid_request` for a value that the library cannot send, or that could not be compared later */
function requireStorable(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new AppError("invalid_request", "This date is invalid or out of range.");
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) requireStorable(item);
    return;
  }
  const type = (value as { _bsontype?: unknown })._bsontype;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  if (type === "BSONSymbol" || type === "Code") {
    throw new AppError("invalid_request", `Values of type ${type} are not supported. Use a console.`);
  }
  if (!isPlain) return;
  for (const [key, each] of Object.entries(value)) {
    if (key.includes("\0")) throw new AppError("invalid_request", "Field names can't contain NUL characters.");
    requireStorable(each);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

/** Gives each number the type that its digits have: `5` is an int, `5.0` a double, and a longer integer a long. */
function toNumbers(key: string, value: unknown, { source }: { source: string }): unknown {
  if (key === "$binary") requireBinary(value);
  if (key === "$numberDouble" && typeof value === "string" && exactDouble(value) === undefined) {
    throw new AppError("invalid_request", `No double holds ${value.slice(0, 60)}. Write {"$numberDecimal": "…"}.`);
  }
  if (key === "$date" && typeof value === "string" && !hasKnownDay(value)) {
    throw new AppError("invalid_request", `${value.slice(0, 60)} is not a day of the calendar.`);
  }
  if (typeof value !== "number") return value;
  if (!/^-?\d+$/.test(source)) {
    if (!isRounded(source, value)) return new Double(value);
  } else if (BigInt.asIntN(32, BigInt(source)) === BigInt(source)) return new Int32(value);
  else if (BigInt.asIntN(64, BigInt(source)) === BigInt(source)) return Long.fromString(source);
  throw new AppError(
    "invalid_request",
    `No integer or double holds ${source.slice(0, 60)}. Write {"$numberDecimal": "…"}.`,
  );
}

/** Requires the two texts of bytes, of which the library ignores invalid characters. */
function requireBinary(value: unknown): void {
  const { base64, subType } = (value ?? {}) as { base64?: unknown; subType?: unknown };
  const isBase64 = typeof base64 === "string" && Buffer.from(base64, "base64").toString("base64") === base64;
  if (isBase64 && typeof subType === "string" && /^[\da-f]{1,2}$/i.test(subType)) return;
  throw new AppError("invalid_request", 'Write bytes as {"$binary": {"base64": "AAH/", "subType": "00"}}.');
}

/** Returns whether a value is nested over a number of levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null || "_bsontype" in value) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/**
 * Returns the value that a text means in place of another value: one of the same type. Where that is neither a text nor
 * nested, Extended JSON in braces, brackets or quotes may name another type.
 * @param types types of the field's other values, for a field without a value here
 * @throws AppError `invalid_request` for a text that is no such value
 */
export function toEditedValue(text: string, current: unknown, types: readonly string[]): unknown {
  const type = typeOfValue(current)?.dbType ?? null;
  if (type === "string") return text;
  if (type === "object" || type === "array") return fromEditText(text);
  if (type !== null) {
    const value = ofType(text, type, current instanceof Binary ? current.sub_type : undefined);
    if (value !== undefined) return value;
    if (/^\s*[{["]/.test(text)) return fromEditText(text);
    throw new AppError(
      "invalid_request",
      `"${text.slice(0, 60)}" is not of type ${type}. To store another type, enter Extended JSON such as {"$numberLong": "5"}.`,
    );
  }
  const known = TRIED_TYPES.filter((each) => types.includes(each) || (types.length === 0 && isGuessed(each)));
  for (const each of known) {
    const value = each === "object" || each === "array" ? nested(text) : ofType(text, each);
    if (value !== undefined) return value;
  }
  if (known.length === 0 || /^\s*[{["]/.test(text)) return fromEditText(text);
  throw new AppError("invalid_request", `"${text.slice(0, 60)}" is not of type ${types.join(" or ")}.`);
}

/** Types that a text may mean in a field without any known value. */
function isGuessed(type: string): boolean {
  return type === "object" || type === "array" || type === "string";
}

function nested(text: string): unknown {
  return /^\s*[{[]/.test(text) ? fromEditText(text) : undefined;
}

/** Returns the value of a type that a text is shown for; undefined for none. */
function ofType(text: string, type: string, subtype = 0): unknown {
  try {
    switch (type) {
      case "int":
        return new Int32(Number(integerOf(text.trim(), 32)));
      case "long":
        return Long.fromBigInt(integerOf(text.trim(), 64));
      case "double":
        return exactDouble(text.trim());
      case "decimal":
        return decimalOf(text.trim());
      case "bool":
        return /^(?:true|false)$/i.test(text.trim()) ? /^true$/i.test(text.trim()) : undefined;
      case "date":
        return dateOf(text.trim());
      case "objectId":
        return /^[\da-f]{24}$/i.test(text.trim()) ? new ObjectId(text.trim()) : undefined;
      case "uuid":
        return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text.trim())
          ? new Binary(new UUID(text.trim()).buffer, UUID_SUBTYPE)
          : undefined;
      case "binData":
        return Buffer.from(text, "base64").toString("base64") === text
          ? new Binary(Buffer.from(text, "base64"), subtype)
          : undefined;
      case "timestamp": {
        const [, t, i] = /^Timestamp\((\d{1,10}), (\d{1,10})\)$/.exec(text.trim()) ?? [];
        return t === undefined ? undefined : new Timestamp({ t: Number(t), i: Number(i) });
      }
      case "regex": {
        const [, pattern, options] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
        return pattern === undefined ? undefined : new BSONRegExp(pattern, options);
      }
      case "string":
        return text;
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

/** Returns the double that a text in decimal notation, "NaN" or "Infinity" means; undefined if it would be rounded. */
function exactDouble(text: string): Double | undefined {
  const value = Number(text);
  const isExact = String(value) === text || (DECIMAL.test(text) && !isRounded(text, value));
  return isExact ? new Double(value) : undefined;
}

/** Returns whether a text that begins with a day has one of the calendar: `Date` takes 31 February for 3 March. */
function hasKnownDay(text: string): boolean {
  const [day] = DAY.exec(text) ?? [];
  if (day === undefined) return true;
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** Parses a day, or a time with or without its zone. Without a zone it is UTC, as displayed. */
function dateOf(text: string): Date | undefined {
  if (!/^(?:[T ]|$)/.test(text.replace(DAY, "")) || !DAY.test(text) || !hasKnownDay(text)) return undefined;
  const written = text.replace(" ", "T");
  const hasZone = !written.includes("T") || /(?:Z|[+-]\d\d:?\d\d)$/.test(written);
  const date = new Date(hasZone ? written : `${written}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/**
 * Returns the values that a page shows as this text, for an `_id`.
 * @throws AppError `invalid_request` for a nested value with too many readings, and for a long text
 */
export function toCandidates(text: string | null): unknown[] {
  if (text === null) return [null];
  if (text.length > ID_CHARS_MAX) {
    const message = `An _id of over ${ID_CHARS_MAX} characters can't be edited here. Use a console.`;
    throw new AppError("invalid_request", message);
  }
  const object = /^\s*[{[]/.test(text) ? parsedOrUndefined(text) : undefined;
  const isNested = typeof object === "object" && object !== null && !isDeeper(object, DEPTH_MAX);
  const nestedOnes = isNested ? candidatesOf(object) : [];
  return [...leafCandidates(text), ...(/^(?:true|false)$/.test(text) ? [text === "true"] : []), ...nestedOnes];
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the scalar values, other than booleans, that a page shows as this text. */
function leafCandidates(text: string): unknown[] {
  const types = [...NUMBER_TYPES, "date", "objectId", "uuid", "timestamp"];
  const bytes = SUBTYPES.map((subtype) => ofType(text, "binData", subtype));
  const keys =
    text === "MinKey" || text === "MaxKey" ? [fromEditText(`{"$${text === "MinKey" ? "min" : "max"}Key": 1}`)] : [];
  const values = [...types.map((type) => ofType(text, type)), ...bytes, ...keys].filter((each) => each !== undefined);
  return [text, ...values.filter((value) => toShownText(value) === text)];
}

function candidatesOf(shown: unknown): unknown[] {
  if (typeof shown === "string") return leafCandidates(shown);
  // Numbers of all types are equal in a comparison.
  if (typeof shown !== "object" || shown === null) return [shown];
  const isList = Array.isArray(shown);
  const readings: [string, unknown][][] = [[]];
  for (const [key, item] of Object.entries(shown)) {
    const [first, ...others] = candidatesOf(item);
    if (readings.length * (others.length + 1) > CANDIDATES_MAX) {
      throw new AppError("invalid_request", "This _id may be of too many types. Use a console.");
    }
    const further = others.flatMap((value) =>
      readings.map((entries): [string, unknown][] => [...entries, [key, value]]),
    );
    for (const entries of readings) entries.push([key, first]);
    readings.push(...further);
  }
  return readings.map((entries) => (isList ? entries.map(([, value]) => value) : Object.fromEntries(entries)));
}
