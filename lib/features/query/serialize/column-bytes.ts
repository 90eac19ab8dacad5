import { isUtf8 } from "node:buffer";
import type { ByteColumn, RowBytes, WireValue } from "@/lib/base/values/fields";
import type { Precision } from "@/lib/base/values/precision";
import { eachCell } from "@/lib/base/values/row-bytes";
import { toDays } from "@/lib/base/values/stamps";
import { textOf } from "@/lib/base/values/text-of";
import { ByteOut, type CellWriter, copyPlain, TEXT_WRITERS, writersOf } from "./cell-bytes";

/*
 * Fills the columns of typed files (Arrow, Parquet) from rows as bytes, without a value per cell. Texts that are not
 * read here are decoded and converted as values.
 */

/** A value that does not fit the type of its column. */
export class UnfitValue extends Error {}

/** The cells of one column, in the order of rows. */
export abstract class ColumnOfBytes {
  /** One bit for each row that has a value, lowest first. */
  readonly valid: Uint8Array;
  length = 0;
  nullCount = 0;

  constructor(rowCount: number) {
    this.valid = new Uint8Array((rowCount + 7) >> 3);
  }

  /** Adds a cell. @throws UnfitValue */
  add(bytes: Buffer, from: number, end: number): void {
    this.markValid();
    this.write(bytes, from, end);
    this.length += 1;
  }

  addNull(): void {
    this.nullCount += 1;
    this.length += 1;
  }

  /** Returns whether every text is UTF-8. */
  isText(): boolean {
    return true;
  }

  protected markValid(): void {
    const at = this.length >> 3;
    this.valid[at] = (this.valid[at] as number) | (1 << (this.length & 7));
  }

  /** Undoes `markValid` for a text whose value is null. */
  protected markNull(): void {
    const at = this.length >> 3;
    this.valid[at] = (this.valid[at] as number) & ~(1 << (this.length & 7));
    this.nullCount += 1;
  }

  protected abstract write(bytes: Buffer, from: number, end: number): void;
}

type Numbers = Int32Array | BigInt64Array | Float64Array;
/** Returns a number that a double holds exactly, NaN for any other text. */
export type Read = (bytes: Uint8Array, from: number, end: number) => number;

/** A column of numbers. `read` handles nearly all texts, `exact` the rest. */
export class NumberColumn<T extends Numbers> extends ColumnOfBytes {
  readonly data: T;
  readonly #read: Read;
  readonly #exact: (text: string) => number | bigint | undefined;
  /** The halves of 64-bit integers: a bigint per cell would be an object. */
  readonly #halves: Int32Array | null;

  constructor(data: T, read: Read, exact: (text: string) => number | bigint | undefined) {
    super(data.length);
    this.data = data;
    this.#read = read;
    this.#exact = exact;
    this.#halves = data instanceof BigInt64Array ? new Int32Array(data.buffer) : null;
  }

  protected override write(bytes: Buffer, from: number, end: number): void {
    const number = this.#read(bytes, from, end);
    if (Number.isNaN(number)) {
      const exact = this.#exact(bytes.toString("latin1", from, end));
      if (exact === undefined) throw new UnfitValue();
      (this.data as { [index: number]: number | bigint })[this.length] =
        this.#halves && typeof exact === "number" ? BigInt(exact) : exact;
    } else if (this.#halves) {
      const high = Math.floor(number / TWO_32);
      this.#halves[this.length * 2] = number - high * TWO_32;
      this.#halves[this.length * 2 + 1] = high;
    } else (this.data as Int32Array)[this.length] = number;
  }
}

const TWO_32 = 2 ** 32;
const TRUE = 0x74;

export class BooleanColumn extends ColumnOfBytes {
  readonly data: Uint8Array;

  constructor(rowCount: number) {
    super(rowCount);
    this.data = new Uint8Array((rowCount + 7) >> 3);
  }

  protected override write(bytes: Buffer, from: number): void {
    const at = this.length >> 3;
    if (bytes[from] === TRUE) this.data[at] = (this.data[at] as number) | (1 << (this.length & 7));
  }
}

const CONTINUATION = 0x80;
const CONTINUATION_MASK = 0xc0;
/** Initial size of a text, in bytes. */
const TEXT_BYTES = 16;

/** A column of texts, one after another. */
export class TextColumn extends ColumnOfBytes {
  /** The start of each text, and the end of the last. */
  readonly offsets: Int32Array;
  readonly #out: ByteOut;
  readonly #write: CellWriter;
  #isNull = false;
  #isSplit = false;

  constructor(rowCount: number, column: ByteColumn) {
    super(rowCount);
    this.offsets = new Int32Array(rowCount + 1);
    this.#out = new ByteOut(rowCount * TEXT_BYTES);
    const [write = copyPlain] = writersOf([column], TEXT_WRITERS, (out, value) => {
      if (value === null) this.#isNull = true;
      else out.text(textOf(value));
    });
    this.#write = write;
  }

  get data(): Uint8Array {
    return this.#out.bytes.subarray(0, this.#out.at);
  }

  override addNull(): void {
    super.addNull();
    this.offsets[this.length] = this.#out.at;
  }

  /** Checks the starts, too: parts of a character must not meet. */
  override isText(): boolean {
    return !this.#isSplit && isUtf8(this.data);
  }

  protected override write(bytes: Buffer, from: number, end: number): void {
    const out = this.#out;
    const start = out.at;
    this.#write(out, bytes, from, end);
    if (out.at > start && ((out.bytes[start] as number) & CONTINUATION_MASK) === CONTINUATION) this.#isSplit = true;
    if (this.#isNull) {
      this.#isNull = false;
      this.markNull();
    }
    this.offsets[this.length + 1] = out.at;
  }
}

/** A column of decoded values. */
export class ValueColumn extends ColumnOfBytes {
  readonly values: WireValue[] = [];
  readonly #decode: (text: string) => WireValue;

  constructor(rowCount: number, decode: (text: string) => WireValue) {
    super(rowCount);
    this.#decode = decode;
  }

  override addNull(): void {
    super.addNull();
    this.values.push(null);
  }

  protected override write(bytes: Buffer, from: number, end: number): void {
    this.values.push(this.#decode(bytes.toString("utf8", from, end)));
  }
}

/**
 * Fills the columns.
 * @returns false when a text of the database is not UTF-8; its values are then decoded
 * @throws UnfitCell for a value that its column cannot hold; Error for rows in another layout
 */
export function fillColumns(raw: RowBytes, rowCount: number, columns: readonly ColumnOfBytes[]): boolean {
  const bytes = Buffer.from(raw.bytes.buffer, raw.bytes.byteOffset, raw.bytes.length);
  eachCell(raw, rowCount, (index, from, end) => {
    const column = columns[index] as ColumnOfBytes;
    if (from < 0) {
      column.addNull();
      return;
    }
    try {
      column.add(bytes, from, end);
    } catch (error) {
      throw error instanceof UnfitValue ? new UnfitCell(index) : error;
    }
  });
  return columns.every((column) => column.isText());
}

/** A value that the column of this number cannot hold. */
export class UnfitCell extends Error {
  readonly column: number;

  constructor(column: number) {
    super();
    this.column = column;
  }
}

const [MINUS, POINT, ZERO, NINE] = [0x2d, 0x2e, 0x30, 0x39];
/** Digits that a double always holds. */
const DIGITS_MAX = 15;
const POWERS = Array.from({ length: DIGITS_MAX + 1 }, (_, exponent) => 10 ** exponent);

/** Reads an integer of up to 15 digits. */
export const readInteger: Read = (bytes, from, end) => {
  const isNegative = bytes[from] === MINUS;
  const start = isNegative ? from + 1 : from;
  if (end - start > DIGITS_MAX || end === start) return Number.NaN;
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const char = bytes[at] as number;
    if (char < ZERO || char > NINE) return Number.NaN;
    number = number * 10 + char - ZERO;
  }
  // Integers have one zero.
  return isNegative ? (number === 0 ? Number.NaN : -number) : number;
};

/** Reads a double of up to 15 digits: a quotient of two doubles that are exact is rounded as its text would be. */
export const readFloat: Read = (bytes, from, end) => {
  const isNegative = bytes[from] === MINUS;
  const start = isNegative ? from + 1 : from;
  if (end - start > DIGITS_MAX + 1 || end === start) return Number.NaN;
  let number = 0;
  let scale = -1;
  for (let at = start; at < end; at += 1) {
    const char = bytes[at] as number;
    if (char === POINT && scale < 0) {
      scale = 0;
      continue;
    }
    if (char < ZERO || char > NINE) return Number.NaN;
    number = number * 10 + char - ZERO;
    if (scale >= 0) scale += 1;
  }
  // Without a point there may be 16 digits.
  if (scale < 0 && end - start > DIGITS_MAX) return Number.NaN;
  const value = scale > 0 ? number / (POWERS[scale] as number) : number;
  return isNegative ? -value : value;
};

/** Returns a function that reads a decimal of up to 15 digits as an integer without the point. */
export function readDecimal({ precision, scale }: Precision): Read {
  const limit = 10 ** precision;
  return (bytes, from, end) => {
    const isNegative = bytes[from] === MINUS;
    const start = isNegative ? from + 1 : from;
    if (end - start > DIGITS_MAX || end === start) return Number.NaN;
    let number = 0;
    let decimals = -1;
    for (let at = start; at < end; at += 1) {
      const char = bytes[at] as number;
      if (char === POINT && decimals < 0) {
        decimals = 0;
        continue;
      }
      if (char < ZERO || char > NINE) return Number.NaN;
      number = number * 10 + char - ZERO;
      if (decimals >= 0) decimals += 1;
    }
    // Any other number of digits is read as a value, which checks its limits.
    if (Math.max(decimals, 0) !== scale || number >= limit) return Number.NaN;
    return isNegative && number !== 0 ? -number : number;
  };
}

const YEAR_CHARS = 4;
const DATE_CHARS = 10;
const TIME_CHARS = 19;
const [SPACE, COLON, PLUS, C] = [0x20, 0x3a, 0x2b, 0x43];
const ZONE_CHARS = 3;
const FRACTION_DIGITS_MAX = 6;
const [DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, SECOND_MICROS] = [86_400, 3600, 60, 1_000_000];

/** Reads a date of a year of four digits, in days since 1970. */
export const readDate: Read = (bytes, from, end) => (end - from === DATE_CHARS ? daysAt(bytes, from) : Number.NaN);

/** Reads a time of a year of four digits, in microseconds since 1970, up to 2^53. */
export const readTimestamp: Read = (bytes, from, end) => {
  if (end - from < TIME_CHARS || bytes[end - 1] === C || bytes[from + DATE_CHARS] !== SPACE) return Number.NaN;
  const [hour, minute, second] = [
    digitsAt(bytes, from + 11, 2),
    digitsAt(bytes, from + 14, 2),
    digitsAt(bytes, from + 17, 2),
  ];
  const isTime = bytes[from + 13] === COLON && bytes[from + 16] === COLON && hour < 24 && minute < 60 && second < 60;
  if (!isTime) return Number.NaN;
  const hasZone = bytes[end - ZONE_CHARS] === PLUS;
  if (hasZone && digitsAt(bytes, end - 2, 2) !== 0) return Number.NaN;
  const last = hasZone ? end - ZONE_CHARS : end;
  let fraction = 0;
  if (last > from + TIME_CHARS) {
    const count = last - from - TIME_CHARS - 1;
    if (bytes[from + TIME_CHARS] !== POINT || count < 1 || count > FRACTION_DIGITS_MAX) return Number.NaN;
    fraction = digitsAt(bytes, from + TIME_CHARS + 1, count) * (POWERS[FRACTION_DIGITS_MAX - count] as number);
  }
  const seconds = daysAt(bytes, from) * DAY_SECONDS + hour * HOUR_SECONDS + minute * MINUTE_SECONDS + second;
  const micros = seconds * SECOND_MICROS + fraction;
  return Number.isSafeInteger(micros) ? micros : Number.NaN;
};

function daysAt(bytes: Uint8Array, from: number): number {
  if (bytes[from + YEAR_CHARS] !== MINUS || bytes[from + 7] !== MINUS) return Number.NaN;
  return (
    toDays(digitsAt(bytes, from, YEAR_CHARS), digitsAt(bytes, from + 5, 2), digitsAt(bytes, from + 8, 2)) ?? Number.NaN
  );
}

/** Returns the number that these digits have, NaN for other characters. */
function digitsAt(bytes: Uint8Array, from: number, count: number): number {
  let number = 0;
  for (let at = from; at < from + count; at += 1) {
    const char = bytes[at] as number;
    if (char < ZERO || char > NINE) return Number.NaN;
    number = number * 10 + char - ZERO;
  }
  return number;
}
