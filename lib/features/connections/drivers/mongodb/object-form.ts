import { BSON, Decimal128, Double, Int32, Long } from "mongodb";
import { ExactNumber } from "@/lib/base/values/exact-json";

/** A value of an operation that does not match its type. */
export class ValueRefused extends Error {}

/** Parsers of Extended JSON's number types, which JSON lacks. */
const NUMBERS: Readonly<Record<string, (text: string) => unknown>> = {
  $numberInt: (text) => Number(integerOf(text, 32)),
  $numberLong: (text) => Long.fromBigInt(integerOf(text, 64)),
  $numberDouble: (text) => new Double(doubleOf(text)),
  $numberDecimal: decimalOf,
};
/** The other types of Extended JSON, which MongoDB's library parses. */
const TYPES: ReadonlySet<string> = new Set([
  "$oid",
  "$binary",
  "$uuid",
  "$symbol",
  "$minKey",
  "$maxKey",
  "$regex",
  "$regularExpression",
  "$timestamp",
  "$date",
]);

/**
 * Converts a JSON value with the types of MongoDB's Extended JSON. Numbers keep every digit: the library would convert
 * a `$numberLong` to a double.
 * @throws ValueRefused; BSONError
 */
export function readObjectForm(value: unknown): unknown {
  if (value instanceof Long || value instanceof Int32 || value instanceof Double) return value;
  if (value instanceof ExactNumber) return value.isInt64 ? Long.fromBigInt(BigInt(value.text)) : decimalOf(value.text);
  if (Array.isArray(value)) return value.map(readObjectForm);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [[name = "", inner] = []] = entries;
  const read = entries.length === 1 ? NUMBERS[name] : undefined;
  if (read && (typeof inner === "string" || typeof inner === "number" || isNumber(inner))) return read(String(inner));
  if (entries.some(([key, each]) => TYPES.has(key) && each !== null) || isReference(value)) return typed(value);
  const object: Record<string, unknown> = {};
  for (const [key, each] of entries) {
    const definition = { value: readObjectForm(each), enumerable: true, configurable: true, writable: true };
    Object.defineProperty(object, key, definition);
  }
  return object;
}

/** Returns whether an object with this key is a value of Extended JSON. */
export function isExtendedType(key: string): boolean {
  return TYPES.has(key) || Object.hasOwn(NUMBERS, key);
}

function isNumber(value: unknown): boolean {
  return [ExactNumber, Long, Int32, Double].some((each) => value instanceof each);
}

function isReference(value: object): boolean {
  return "$ref" in value && "$id" in value;
}

/** Converts exact values to Extended JSON, since the library takes only JSON. */
function typed(value: object): unknown {
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (each instanceof Long) return { $numberLong: each.toString() };
    if (each instanceof Int32) return each.value;
    return each instanceof ExactNumber ? { [each.isInt64 ? "$numberLong" : "$numberDecimal"]: each.text } : each;
  });
  return (BSON.EJSON.parse(`{"v":${text}}`, { relaxed: true }) as { v: unknown }).v;
}

/** Converts counts that the operation uses to plain numbers. */
export function plainCount(value: unknown): unknown {
  return value instanceof Long || value instanceof Int32 || value instanceof Double ? Number(value.toString()) : value;
}

export function integerOf(text: string, bits: 32 | 64): bigint {
  const value = /^-?\d{1,20}$/.test(text) ? BigInt(text) : null;
  if (value !== null && BigInt.asIntN(bits, value) === value) return value;
  throw new ValueRefused(`${text.slice(0, 60)} is not an integer of ${bits} bits.`);
}

export function doubleOf(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && (!Number.isNaN(value) || text === "NaN")) return value;
  throw new ValueRefused(`${text.slice(0, 60)} is not a double.`);
}

export function decimalOf(text: string): Decimal128 {
  try {
    return Decimal128.fromString(text);
  } catch (error) {
    throw new ValueRefused(`${text.slice(0, 60)} is not a decimal of 34 digits.`, { cause: error });
  }
}
