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

/** Constructors of the shell, by name. A value can call nothing else (T59). */
export const MAKERS: Readonly<Record<string, (...given: unknown[]) => unknown>> = Object.assign(
  Object.create(null) as Record<string, (...given: unknown[]) => unknown>,
  {
    ObjectId: (hex?: unknown) => (hex === undefined ? new ObjectId() : new ObjectId(textOf(hex))),
    ISODate: (text?: unknown) => dateOf(text === undefined ? new Date() : new Date(isoOf(textOf(text)))),
    Date: (...given: unknown[]) => dateOf(makeDate(given)),
    NumberLong: (value: unknown = 0) => longOf(value),
    Long: (value: unknown = 0) => longOf(value),
    NumberInt: (value: unknown = 0) => new Int32(integerOf(value)),
    Int32: (value: unknown = 0) => new Int32(integerOf(value)),
    Double: (value: unknown = 0) => new Double(numberOf(value)),
    NumberDecimal: (value: unknown = "0") => Decimal128.fromString(String(plainOf(value))),
    Decimal128: (value: unknown = "0") => Decimal128.fromString(String(plainOf(value))),
    UUID: (text?: unknown) => (text === undefined ? new UUID() : new UUID(textOf(text))),
    BinData: (kind: unknown, base64: unknown) => new Binary(Buffer.from(textOf(base64), "base64"), integerOf(kind)),
    HexData: (kind: unknown, hex: unknown) => new Binary(Buffer.from(textOf(hex), "hex"), integerOf(kind)),
    Timestamp: (seconds: unknown = 0, count: unknown = 0) =>
      new Timestamp({ t: integerOf(seconds), i: integerOf(count) }),
    RegExp: (source: unknown, flags?: unknown) => regexOf(textOf(source), flags === undefined ? "" : textOf(flags)),
    MinKey: () => new MinKey(),
    MaxKey: () => new MaxKey(),
  },
);

/** Names that are values without a call. */
export const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["undefined", null],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["NaN", Number.NaN],
  ["MinKey", new MinKey()],
  ["MaxKey", new MaxKey()],
]);

/** Returns a regular expression with its flags in the server's order; flags that only JavaScript uses are omitted. */
export function regexOf(source: string, flags: string): BSONRegExp {
  if (/[^dgimsuvxy]/.test(flags)) throw new TypeError(`Invalid regular expression flags: ${flags}.`);
  const kept = [...new Set(flags)].filter((flag) => "imsx".includes(flag)).sort();
  return new BSONRegExp(source, kept.join(""));
}

function makeDate(given: readonly unknown[]): Date {
  const [first] = given;
  if (given.length === 0) return new Date();
  if (given.length === 1)
    return first instanceof Date ? first : new Date(typeof first === "string" ? first : numberOf(first));
  const [year = 0, month = 0, ...rest] = given.map(numberOf);
  return new Date(Date.UTC(year, month, ...rest));
}

/** Parses a date as the shell does: a timestamp without a zone, and a plain date, are UTC. */
function isoOf(text: string): string {
  const plain = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/.exec(text);
  if (!plain) return text;
  return plain[2] === undefined ? `${plain[1]}T00:00:00Z` : `${plain[1]}T${plain[2]}Z`;
}

function dateOf(date: Date): Date {
  if (Number.isNaN(date.getTime())) throw new TypeError("Invalid date.");
  return date;
}

function longOf(value: unknown): Long {
  if (value instanceof Long) return value;
  if (typeof value === "bigint") return Long.fromBigInt(value);
  if (typeof value === "number" && Number.isInteger(value)) return Long.fromNumber(value);
  const text = String(value);
  const long = Long.fromString(text);
  if (!/^-?\d{1,19}$/.test(text) || long.toString() !== text.replace(/^(-?)0+(?=\d)/, "$1")) {
    throw new TypeError("Invalid 64-bit integer.");
  }
  return long;
}

function integerOf(value: unknown): number {
  const number = numberOf(value);
  if (!Number.isInteger(number) || Math.abs(number) > 0xffffffff) throw new TypeError("Invalid 32-bit integer.");
  return number;
}

function numberOf(value: unknown): number {
  const number = value instanceof Long || value instanceof Int32 ? Number(value.toString()) : Number(value);
  if (typeof value === "object" && !(value instanceof Long) && !(value instanceof Int32)) {
    throw new TypeError("Expected a number.");
  }
  return number;
}

function plainOf(value: unknown): string | number {
  if (typeof value === "string" || typeof value === "number") return value;
  if (value instanceof Long || value instanceof Decimal128) return value.toString();
  throw new TypeError("Expected a string or a number.");
}

function textOf(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("Expected a string.");
  return value;
}
