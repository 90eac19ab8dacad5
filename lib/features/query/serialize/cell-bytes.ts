import { isUtf8 } from "node:buffer";
import type { ByteColumn, CellForm, RowBytes } from "@/lib/base/values/fields";
import { eachCell } from "@/lib/base/values/row-bytes";

/*
 * Writes the bytes of cells as text, without a value per cell. The result is the same as that of the values.
 */

/** Initial size of the output per byte of input, for quotes and separators. */
const OUT_SHARE = 1.5;
const OUT_BYTES_MIN = 4 * 1024;
/** Maximum bytes of a UTF-16 unit in UTF-8. */
const BYTES_PER_UNIT_MAX = 3;
/** Maximum bytes of an escaped byte: a control character in JSON. */
export const ESCAPED_BYTES_MAX = 6;

/** A growing buffer. Writers reserve space first, and then write to `bytes` at `at`. */
export class ByteOut {
  bytes: Buffer;
  at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  /** Makes room for that many bytes. */
  reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.at + count, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.at);
    this.bytes = grown;
  }

  text(text: string): void {
    this.reserve(text.length * BYTES_PER_UNIT_MAX);
    this.at += this.bytes.write(text, this.at);
  }

  copy(source: Uint8Array, from: number, end: number): void {
    this.reserve(end - from);
    const { bytes } = this;
    let { at } = this;
    for (let index = from; index < end; index += 1) bytes[at++] = source[index] as number;
    this.at = at;
  }
}

/** Writes a cell whose text is at `from` to `end` of the bytes. */
export type CellWriter = (out: ByteOut, bytes: Buffer, from: number, end: number) => void;
/** Returns the writer of a column. `byValue` writes the decoded value, for any text. */
export type CellWriters = Readonly<Record<Exclude<CellForm, "other">, (byValue: CellWriter) => CellWriter>>;

export type RowWriters = {
  cells: readonly CellWriter[];
  null: string;
  /** The text before each cell, and after the last. */
  before: readonly string[];
  after: string;
};

/** Returns one writer for each column, chosen once by its form. */
export function writersOf(
  columns: readonly ByteColumn[],
  writers: CellWriters,
  write: (out: ByteOut, value: ReturnType<ByteColumn["decode"]>) => void,
): CellWriter[] {
  return columns.map(({ form, decode }) => {
    const byValue: CellWriter = (out, bytes, from, end) => write(out, decode(bytes.toString("utf8", from, end)));
    return form === "other" ? byValue : writers[form](byValue);
  });
}

/**
 * Returns the text of rows.
 * @returns null when a text of the database is not UTF-8; its values are then decoded
 * @throws Error for rows in another layout
 */
export function writeRows(raw: RowBytes, rowCount: number, writers: RowWriters): Uint8Array | null {
  const bytes = Buffer.from(raw.bytes.buffer, raw.bytes.byteOffset, raw.bytes.length);
  const out = new ByteOut(Math.ceil(bytes.length * OUT_SHARE) + OUT_BYTES_MIN);
  const before = writers.before.map((text) => Buffer.from(text));
  const [none, after] = [Buffer.from(writers.null), Buffer.from(writers.after)];
  const last = raw.columns.length - 1;
  eachCell(raw, rowCount, (column, from, end) => {
    const head = before[column] as Buffer;
    out.copy(head, 0, head.length);
    if (from < 0) out.copy(none, 0, none.length);
    else writers.cells[column]?.(out, bytes, from, end);
    if (column === last) out.copy(after, 0, after.length);
  });
  const written = out.bytes.subarray(0, out.at);
  return isUtf8(written) ? written : null;
}

const [QUOTE, BACKSLASH, SPACE, COLON, COMMA] = [0x22, 0x5c, 0x20, 0x3a, 0x2c];
const [OPEN_OBJECT, OPEN_LIST, MINUS, POINT, ZERO, NINE] = [0x7b, 0x5b, 0x2d, 0x2e, 0x30, 0x39];
const [LOWER_E, UPPER_E] = [0x65, 0x45];
/** Digits that every double keeps, with a point. */
const EXACT_CHARS_MAX = 15;

/**
 * Writes a jsonb document as JSON.stringify writes its value.
 * @param isDoubled quotes are doubled, as within a field of CSV
 * @returns whether the text needs quotes in CSV; null, with nothing written, for a document that only a parser converts:
 *   not a list or an object, numbers that JavaScript prints in another way, or names that it reorders
 */
export function copyJson(
  out: ByteOut,
  source: Uint8Array,
  from: number,
  end: number,
  isDoubled: boolean,
): boolean | null {
  const first = source[from];
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) return null;
  out.reserve((end - from) * 2);
  const { bytes } = out;
  let o = out.at;
  let needsQuotes = false;
  for (let at = from; at < end; ) {
    const char = source[at++] as number;
    if (char === SPACE) continue;
    if (char === QUOTE) {
      needsQuotes = true;
      const isIndexLike = isDigit(source[at]);
      bytes[o++] = QUOTE;
      if (isDoubled) bytes[o++] = QUOTE;
      for (;;) {
        if (at >= end) return null;
        const each = source[at++] as number;
        if (each === QUOTE) break;
        bytes[o++] = each;
        if (each !== BACKSLASH) continue;
        const escaped = source[at++] as number;
        if (escaped === QUOTE && isDoubled) bytes[o++] = QUOTE;
        bytes[o++] = escaped;
      }
      bytes[o++] = QUOTE;
      if (isDoubled) bytes[o++] = QUOTE;
      // An object's properties that are integers come first in JavaScript.
      if (isIndexLike && source[at] === COLON) return null;
    } else if (char === MINUS || isDigit(char)) {
      const start = at - 1;
      let hasPoint = false;
      for (; at < end; at += 1) {
        const each = source[at] as number;
        if (each === POINT) hasPoint = true;
        else if (each === LOWER_E || each === UPPER_E) return null;
        else if (!isDigit(each)) break;
      }
      const stop = hasPoint ? withoutZeros(source, start, at) : at;
      const digits = char === MINUS ? start + 1 : start;
      // A small fraction may have an exponent, and -0 has no sign.
      const isSmall = source[digits] === ZERO && (char === MINUS ? stop - digits === 1 : false);
      const isFraction = source[digits] === ZERO && source[digits + 2] === ZERO;
      if (stop - digits > EXACT_CHARS_MAX || isSmall || isFraction) return null;
      for (let index = start; index < stop; index += 1) bytes[o++] = source[index] as number;
    } else {
      if (char === COMMA) needsQuotes = true;
      bytes[o++] = char;
    }
  }
  out.at = o;
  return needsQuotes;
}

function isDigit(char: number | undefined): boolean {
  return char !== undefined && char >= ZERO && char <= NINE;
}

function withoutZeros(source: Uint8Array, start: number, end: number): number {
  let stop = end;
  while (stop > start && source[stop - 1] === ZERO) stop -= 1;
  return source[stop - 1] === POINT ? stop - 1 : stop;
}

const [TRUE, TRUE_TEXT, FALSE_TEXT] = [0x74, Buffer.from("true"), Buffer.from("false")];

export const copyPlain: CellWriter = (out, bytes, from, end) => out.copy(bytes, from, end);

export const writeBoolean: CellWriter = (out, bytes, from) => {
  const text = bytes[from] === TRUE ? TRUE_TEXT : FALSE_TEXT;
  out.copy(text, 0, text.length);
};

/** Returns whether a double's text is the one of JavaScript: it has no exponent and is a number. */
export function isPlainFloat(bytes: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) {
    const char = bytes[at] as number;
    if (char > NINE) return false;
  }
  return true;
}

const DATE_CHARS = 10;
const YEAR_CHARS = 4;
const TIME_CHARS = 19;
const [T, Z, C, PLUS] = [0x54, 0x5a, 0x43, 0x2b];
const ZONE_CHARS = 3;

/** Returns whether a date has a year of four digits after Christ. */
export function isPlainDate(bytes: Uint8Array, from: number, end: number): boolean {
  return end - from === DATE_CHARS && bytes[from + YEAR_CHARS] === MINUS;
}

/** Writes a time of a year of four digits after Christ. @returns false, with nothing written, for any other */
export function copyTimestamp(out: ByteOut, source: Uint8Array, from: number, end: number): boolean {
  const isPlain =
    end - from >= TIME_CHARS &&
    source[from + YEAR_CHARS] === MINUS &&
    source[from + DATE_CHARS] === SPACE &&
    source[end - 1] !== C;
  if (!isPlain) return false;
  const hasZone = source[end - ZONE_CHARS] === PLUS && source[end - 1] === ZERO && source[end - 2] === ZERO;
  const start = out.at;
  out.copy(source, from, hasZone ? end - ZONE_CHARS + 1 : end);
  out.bytes[start + DATE_CHARS] = T;
  if (hasZone) out.bytes[out.at - 1] = Z;
  return true;
}

/** Write texts as `textOf` does: without quotes. */
export const TEXT_WRITERS: CellWriters = {
  integer: () => copyPlain,
  int64: () => copyPlain,
  float: (byValue) => (out, bytes, from, end) => {
    if (isPlainFloat(bytes, from, end)) out.copy(bytes, from, end);
    else byValue(out, bytes, from, end);
  },
  boolean: () => writeBoolean,
  plain: () => copyPlain,
  text: () => copyPlain,
  date: (byValue) => (out, bytes, from, end) => {
    if (isPlainDate(bytes, from, end)) out.copy(bytes, from, end);
    else byValue(out, bytes, from, end);
  },
  timestamp: (byValue) => (out, bytes, from, end) => {
    if (!copyTimestamp(out, bytes, from, end)) byValue(out, bytes, from, end);
  },
  json: (byValue) => (out, bytes, from, end) => {
    if (copyJson(out, bytes, from, end, false) === null) byValue(out, bytes, from, end);
  },
};
