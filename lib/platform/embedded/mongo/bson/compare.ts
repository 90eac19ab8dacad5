import { spend } from "../scheduling/effort.ts";
import { timestampBits } from "./codec.ts";
import { encodeKey } from "./keys.ts";
import {
  Binary,
  BSONRegExp,
  Decimal128,
  DeprecatedValue,
  type Doc,
  Double,
  ObjectId,
  Timestamp,
  TYPE,
  typeCode,
  type Value,
} from "./values.ts";

/**
 * MongoDB's order of types ("canonicalizeBSONType"). Types of one rank compare by value. Missing sorts as undefined.
 */
const RANK_OF_TYPE = new Map<number, number>([
  [TYPE.minKey, 1],
  [TYPE.undefined, 3],
  [TYPE.null, 5],
  [TYPE.double, 10],
  [TYPE.int, 10],
  [TYPE.long, 10],
  [TYPE.decimal, 10],
  [TYPE.string, 15],
  [TYPE.symbol, 16],
  [TYPE.object, 20],
  [TYPE.array, 25],
  [TYPE.binData, 30],
  [TYPE.objectId, 35],
  [TYPE.bool, 40],
  [TYPE.date, 45],
  [TYPE.timestamp, 47],
  [TYPE.regex, 50],
  [TYPE.dbPointer, 55],
  [TYPE.javascript, 60],
  [TYPE.javascriptWithScope, 65],
  [TYPE.maxKey, 120],
]);

export const RANK = {
  minKey: 1,
  undefined: 3,
  null: 5,
  number: 10,
  string: 15,
  object: 20,
  array: 25,
  bool: 40,
  date: 45,
  regex: 50,
  maxKey: 120,
} as const;

/** Returns the rank of the value's type in BSON's order. */
export function typeRank(value: Value): number {
  if (typeof value === "string") return RANK.string;
  if (typeof value === "number" || typeof value === "bigint") return RANK.number;
  return RANK_OF_TYPE.get(typeCode(value)) ?? 0;
}

/** Compares two values in BSON's total order. Numbers compare by value across types; NaN is the smallest of them. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === "number" && typeof b === "number") return compareDoubles(a, b);
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b);
  const rank = typeRank(a);
  const order = rank - typeRank(b);
  return order !== 0 ? order : compareWithinRank(a, b);
}

/** Compares like compareValues, with a missing value below everything except MinKey. */
export function compareMaybe(a: Value | undefined, b: Value | undefined): number {
  if (a === undefined || b === undefined) {
    const rankOfA = a === undefined ? RANK.undefined - 1 : typeRank(a);
    const rankOfB = b === undefined ? RANK.undefined - 1 : typeRank(b);
    return rankOfA - rankOfB;
  }
  return compareValues(a, b);
}

export function areEqual(a: Value, b: Value): boolean {
  return compareValues(a, b) === 0;
}

function compareWithinRank(a: Value, b: Value): number {
  if (a instanceof ObjectId && b instanceof ObjectId) return Buffer.compare(a.id, b.id);
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if (a instanceof Map && b instanceof Map) return compareDocs(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return compareArrays(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Decimal128 || b instanceof Decimal128) return Buffer.compare(encodeKey(a), encodeKey(b));
  const x = plainNumber(a);
  const y = plainNumber(b);
  if (x !== undefined && y !== undefined) return compareDoubles(x, y);
  if (a instanceof Binary && b instanceof Binary) {
    return (
      a.position - b.position ||
      a.sub_type - b.sub_type ||
      Buffer.compare(a.buffer.subarray(0, a.position), b.buffer.subarray(0, b.position))
    );
  }
  if (a instanceof Timestamp && b instanceof Timestamp) {
    const difference = timestampBits(a) - timestampBits(b);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  if (a instanceof BSONRegExp && b instanceof BSONRegExp) {
    return compareStrings(a.pattern, b.pattern) || compareStrings(a.options, b.options);
  }
  if (a instanceof DeprecatedValue && b instanceof DeprecatedValue) {
    return a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes);
  }
  return 0;
}

function plainNumber(value: Value): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return value instanceof Double ? value.value : undefined;
}

/** JavaScript compares a double with a bigint exactly, without loss of precision. */
function compareDoubles(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  // biome-ignore lint/suspicious/noDoubleEquals: a double and a bigint of one value are equal here
  if (a == b) return 0;
  return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : -1) : 1;
}

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** Compares texts by their UTF-8 bytes, which is the order of code points and not of UTF-16 units. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const isHighX = x >= FIRST_SURROGATE && x <= LAST_SURROGATE;
    const isHighY = y >= FIRST_SURROGATE && y <= LAST_SURROGATE;
    if (isHighX !== isHighY) {
      if (isHighX) return y > LAST_SURROGATE ? 1 : x - y;
      return x > LAST_SURROGATE ? -1 : x - y;
    }
    return x - y;
  }
  return a.length - b.length;
}

function compareArrays(a: Value[], b: Value[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    spend(1);
    const order = compareValues(a[i] as Value, b[i] as Value);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Compares documents field by field: first the type, then the name, then the value. */
function compareDocs(a: Doc, b: Doc): number {
  const fieldsOfB = b.entries();
  for (const [name, value] of a) {
    spend(1);
    const next = fieldsOfB.next();
    if (next.done) return 1;
    const [otherName, otherValue] = next.value;
    const order =
      typeRank(value) - typeRank(otherValue) || compareStrings(name, otherName) || compareValues(value, otherValue);
    if (order !== 0) return order;
  }
  return fieldsOfB.next().done ? 0 : -1;
}
