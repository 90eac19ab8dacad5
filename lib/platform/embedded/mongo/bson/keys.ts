import { StoreError } from "../errors.ts";
import { spend } from "../scheduling/effort.ts";
import { timestampBits } from "./codec.ts";
import { type Finite, parseDecimal } from "./decimal.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import {
  Binary,
  BSONRegExp,
  Decimal128,
  DeprecatedValue,
  type Doc,
  Double,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  TYPE,
  type Value,
} from "./values.ts";

/**
 * Index keys: bytes whose order under memcmp is BSON's order of the values. No encoding is a prefix of another, so that
 * compound keys are plain concatenations and a descending component is its ascending bytes inverted. Values that are
 * equal in BSON (1, 1.0, 1L, decimal 1) have equal keys. The bytes cannot be decoded; the document holds the value.
 *
 * All first bytes are between LOWEST_TAG and HIGHEST_TAG, and so are their inverses. None is 0xff, so that a key above
 * all keys with a prefix always exists.
 */
export const TAG = {
  minKey: 0x10,
  undefined: 0x18,
  null: 0x20,
  number: 0x28,
  string: 0x30,
  symbol: 0x34,
  object: 0x38,
  array: 0x40,
  binData: 0x48,
  objectId: 0x50,
  bool: 0x58,
  date: 0x60,
  timestamp: 0x68,
  regex: 0x70,
  dbPointer: 0x78,
  code: 0x80,
  codeWithScope: 0x88,
  maxKey: 0xe0,
} as const;

/** Ends a document or an array; below all tags. */
const END = 0x01;
/** Marks for the part of a number that no double holds. */
const BELOW_DOUBLE = 0x01;
const IS_DOUBLE = 0x02;
const ABOVE_DOUBLE = 0x03;
/** A NUL inside a text is encoded as 00 ff, its end as 00 01. */
const NUL_ESCAPE = 0xff;
const TEXT_END = 0x01;
/** Number of bytes behind the text in a text's key. */
export const TEXT_END_BYTES = 2;

const FIRST_BYTES = 64;

export class KeyWriter extends GrowingBytes {
  constructor() {
    super(FIRST_BYTES);
  }

  reset(): void {
    this.at = 0;
  }

  /** @param isDescending inverts the order of this component */
  value(value: Value, isDescending = false): void {
    const start = this.at;
    this.tagged(value);
    if (isDescending) for (let i = start; i < this.at; i++) this.buffer[i] = ~(this.buffer[i] as number);
  }

  private tagged(value: Value): void {
    this.byte(tagOf(value));
    this.payload(value);
  }

  private payload(value: Value): void {
    if (typeof value === "string") this.text(value);
    else if (typeof value === "number") this.double(value, IS_DOUBLE);
    else if (typeof value === "bigint") this.long(value);
    else if (typeof value === "boolean") this.byte(value ? 2 : 1);
    else if (value === null) return;
    else if (value instanceof ObjectId) this.raw(value.id);
    else if (value instanceof Date) this.signed64(BigInt(value.getTime()));
    else if (value instanceof Map) this.doc(value);
    else if (Array.isArray(value)) {
      spend(value.length);
      for (const item of value) this.tagged(item);
      this.byte(END);
    } else if (value instanceof Double) this.double(value.value, IS_DOUBLE);
    else if (value instanceof Decimal128) this.decimal(value);
    else if (value instanceof Binary) {
      this.room(5);
      this.at = this.buffer.writeUInt32BE(value.position, this.at);
      this.byte(value.sub_type);
      this.raw(value.buffer.subarray(0, value.position));
    } else if (value instanceof Timestamp) {
      this.room(8);
      this.at = this.buffer.writeBigUInt64BE(timestampBits(value), this.at);
    } else if (value instanceof BSONRegExp) {
      this.text(value.pattern);
      this.text(value.options);
    } else if (value instanceof DeprecatedValue && value.type !== TYPE.undefined) {
      this.room(4);
      this.at = this.buffer.writeUInt32BE(value.bytes.length, this.at);
      this.raw(value.bytes);
    }
  }

  private doc(doc: Doc): void {
    spend(doc.size);
    for (const [name, value] of doc) {
      this.byte(tagOf(value));
      this.text(name);
      this.payload(value);
    }
    this.byte(END);
  }

  private text(text: string): void {
    const length = text.length;
    this.room(length * 3 + 2);
    const start = this.at;
    let i = 0;
    for (; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit === 0 || unit > 127) break;
      this.buffer[start + i] = unit;
    }
    this.at = start + i;
    if (i < length) {
      const rest = Buffer.from(text.slice(i), "utf8");
      for (const byte of rest) {
        this.byte(byte);
        if (byte === 0) this.byte(NUL_ESCAPE);
      }
    }
    this.byte(0);
    this.byte(TEXT_END);
  }

  private signed64(n: bigint): void {
    this.room(8);
    this.at = this.buffer.writeBigUInt64BE(BigInt.asUintN(64, n) ^ (1n << 63n), this.at);
  }

  /** Writes a double's bits in the order of values: NaN lowest, both zeros equal. */
  private double(n: number, mark: number): void {
    this.room(9);
    if (Number.isNaN(n)) this.buffer.fill(0, this.at, this.at + 8);
    else {
      this.buffer.writeDoubleBE(n + 0, this.at);
      if (n === 0) this.buffer.fill(0, this.at, this.at + 8);
      const first = this.buffer[this.at] as number;
      if (first & 0x80) for (let i = this.at; i < this.at + 8; i++) this.buffer[i] = ~(this.buffer[i] as number);
      else this.buffer[this.at] = first | 0x80;
    }
    this.at += 8;
    this.buffer[this.at++] = mark;
  }

  private long(n: bigint): void {
    const nearest = Number(n);
    if (Number.isSafeInteger(nearest) || BigInt(nearest) === n) this.double(nearest, IS_DOUBLE);
    else this.inexact({ coefficient: n < 0n ? -n : n, exponent: 0, isNegative: n < 0n }, nearest);
  }

  private decimal(value: Decimal128): void {
    const parsed = parseDecimal(value);
    if (typeof parsed === "string") {
      this.double(Number(parsed), IS_DOUBLE);
      return;
    }
    const nearest = Number(value.toString());
    if (Number.isFinite(nearest) && compareWithDouble(parsed, Math.abs(nearest)) === 0) {
      this.double(nearest, IS_DOUBLE);
    } else this.inexact(parsed, nearest);
  }

  /** Writes a number between two doubles: the one nearer to zero, a mark, then all its decimal digits. */
  private inexact(exact: Finite, nearest: number): void {
    let magnitude = Math.min(Math.abs(nearest), Number.MAX_VALUE);
    if (compareWithDouble(exact, magnitude) < 0) magnitude = doubleBelow(magnitude);
    this.double(exact.isNegative ? -magnitude : magnitude, exact.isNegative ? BELOW_DOUBLE : ABOVE_DOUBLE);
    const start = this.at;
    const digits = exact.coefficient.toString();
    this.room(2);
    this.at = this.buffer.writeUInt16BE(digits.length + exact.exponent + 0x8000, this.at);
    this.raw(Buffer.from(digits.replace(/0+$/, ""), "latin1"));
    this.byte(0);
    if (exact.isNegative) for (let i = start; i < this.at; i++) this.buffer[i] = ~(this.buffer[i] as number);
  }
}

const shared = new KeyWriter();

/** Returns the key of one value. */
export function encodeKey(value: Value, isDescending = false): Buffer {
  shared.reset();
  shared.value(value, isDescending);
  return shared.bytes();
}

const DEPRECATED_TAGS = new Map<number, number>([
  [TYPE.undefined, TAG.undefined],
  [TYPE.symbol, TAG.symbol],
  [TYPE.dbPointer, TAG.dbPointer],
  [TYPE.javascript, TAG.code],
  [TYPE.javascriptWithScope, TAG.codeWithScope],
]);

/** Returns the first byte of the value's key. */
export function tagOf(value: Value): number {
  switch (typeof value) {
    case "string":
      return TAG.string;
    case "number":
    case "bigint":
      return TAG.number;
    case "boolean":
      return TAG.bool;
  }
  if (value === null) return TAG.null;
  if (value instanceof Map) return TAG.object;
  if (Array.isArray(value)) return TAG.array;
  if (value instanceof Date) return TAG.date;
  if (value instanceof ObjectId) return TAG.objectId;
  if (value instanceof Double || value instanceof Decimal128) return TAG.number;
  if (value instanceof Binary) return TAG.binData;
  if (value instanceof Timestamp) return TAG.timestamp;
  if (value instanceof BSONRegExp) return TAG.regex;
  if (value instanceof MinKey) return TAG.minKey;
  if (value instanceof MaxKey) return TAG.maxKey;
  const tag = value instanceof DeprecatedValue ? DEPRECATED_TAGS.get(value.type) : undefined;
  if (tag !== undefined) return tag;
  throw new StoreError("InternalError", "This value has no place in an index.");
}

/** Compares the magnitude of a decimal with a non-negative double, exactly. */
function compareWithDouble(exact: Finite, magnitude: number): number {
  if (magnitude === 0) return exact.coefficient === 0n ? 0 : 1;
  const { mantissa, power } = takeApart(magnitude);
  let left = exact.coefficient;
  let right = mantissa;
  if (exact.exponent >= 0) left *= 10n ** BigInt(exact.exponent);
  else right *= 10n ** BigInt(-exact.exponent);
  if (power >= 0) right <<= BigInt(power);
  else left <<= BigInt(-power);
  return left < right ? -1 : left > right ? 1 : 0;
}

const BITS = new DataView(new ArrayBuffer(8));

/** Returns a double as mantissa times a power of two. */
function takeApart(n: number): { mantissa: bigint; power: number } {
  BITS.setFloat64(0, n);
  const bits = BITS.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return exponent === 0
    ? { mantissa: fraction, power: -1074 }
    : { mantissa: fraction | 0x10000000000000n, power: exponent - 1075 };
}

/** Returns the next smaller double of a positive one. */
function doubleBelow(n: number): number {
  BITS.setFloat64(0, n);
  BITS.setBigUint64(0, BITS.getBigUint64(0) - 1n);
  return BITS.getFloat64(0);
}
