import { ExactNumber, parseJsonWithTexts } from "@/lib/base/values/exact-json";
import type { WireValue } from "@/lib/base/values/fields";
import { shortestFloat32 } from "@/lib/base/values/float32";
import { jsonSlices } from "@/lib/base/values/json-slices";
import { isJsonText } from "@/lib/base/values/json-text";
import { type ParseJson, parseLargeJson } from "@/lib/base/values/large-json";

/** Returns an int64 from its decimal text: a number while it is exact, otherwise the text. */
export function int64Value(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

/** Returns a double, or the text for infinity and NaN. */
export function floatValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/** Returns a 32-bit float by its shortest number, or the text for infinity and NaN. */
export function float32Value(value: number): number | string {
  return floatValue(shortestFloat32(value));
}

/** Parses a JSON cell. A number that a double cannot hold becomes its text; text that is not JSON stays text. */
export function jsonValue(text: string): WireValue {
  try {
    return parseJsonWithTexts(text) as WireValue;
  } catch {
    return text;
  }
}

/** Characters beyond which parsing takes more than a few milliseconds. */
export const CHARS_AT_ONCE = 256 * 1024;

type Rest = () => Promise<void>;

/** A cell that takes too long to parse at once. Drivers parse it by `parseLargeCells` before its row leaves. */
class LargeCell {
  readonly text: string;
  readonly parse: (text: string, rest: Rest) => Promise<WireValue>;

  constructor(text: string, parse: (text: string, rest: Rest) => Promise<WireValue>) {
    this.text = text;
    this.parse = parse;
  }
}

/**
 * Returns `parse(text)`, or a cell for `parseLargeCells` if the text is large.
 * @param parseLarge the same as `parse`, with calls of `rest` in between
 */
export function cellOf(
  text: string,
  parse: (text: string) => WireValue,
  parseLarge: (text: string, rest: Rest) => Promise<WireValue>,
): WireValue {
  return isLargeText(text) ? (new LargeCell(text, parseLarge) as unknown as WireValue) : parse(text);
}

/** Parses like `jsonValue`, except a large cell, which waits for `parseLargeCells`. */
export function jsonCell(text: string): WireValue {
  return cellOf(text, jsonValue, jsonValuePaced);
}

/** Parses like `jsonValue`, in slices. */
export async function jsonValuePaced(text: string, rest: Rest): Promise<WireValue> {
  try {
    return (await parseLargeJson(text, rest)) as WireValue;
  } catch {
    return text;
  }
}

/**
 * Parses the large cells of lists, in slices.
 * @param rest called between slices, so that the event loop serves others
 */
export async function parseLargeCells(lists: readonly WireValue[][], rest: Rest): Promise<void> {
  for (const list of lists) {
    for (const [index, value] of list.entries()) {
      if (isLargeCell(value)) list[index] = await value.parse(value.text, rest);
    }
  }
}

/** Returns the characters of a cell that is not parsed, or not yet; 0 for other values. */
export function unparsedChars(value: WireValue): number {
  if (isJsonText(value)) return value.json.length;
  return isLargeCell(value) ? (value as LargeCell).text.length : 0;
}

function isLargeCell(value: unknown): value is LargeCell {
  return value instanceof LargeCell;
}

/** Returns whether a text takes more than a few milliseconds to parse. */
export function isLargeText(text: string): boolean {
  return text.length > CHARS_AT_ONCE;
}

/** Parses a text at once if it is small, and in slices otherwise. @throws SyntaxError */
export async function parsePaced(text: string, rest: Rest, parse: ParseJson): Promise<unknown> {
  return isLargeText(text) ? parseLargeJson(text, rest, parse) : parse(text);
}

/**
 * Parses a JSON response of a protocol, in which floats are doubles with any number of digits. An integer that a double
 * cannot hold becomes its text.
 * @throws SyntaxError
 */
export function protocolValue(text: string): WireValue {
  return parseJsonWithTexts(text, (source, value) => {
    const isInteger = /^-?\d+$/.test(source);
    if (isInteger && !Number.isSafeInteger(value)) return source;
    return Number.isFinite(value) ? null : String(value);
  }) as WireValue;
}

/** Returns the bytes of a value in a response, exact for text, and 0 for small values. */
export function valueBytes(value: WireValue): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (isJsonText(value)) return Buffer.byteLength(value.json);
  if (isLargeCell(value)) return Buffer.byteLength((value as LargeCell).text);
  return typeof value === "object" && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 0;
}

/** Most bytes of a UTF-16 unit in UTF-8. */
const BYTES_PER_CHAR_MAX = 3;

/**
 * Returns whether rows of a response can have a cell above the limit; they rarely can.
 * @param chars length of the response
 */
export function mayHaveLargeCell(chars: number, limit: number | undefined): limit is number {
  return limit !== undefined && chars * BYTES_PER_CHAR_MAX > limit;
}

/** Bytes that are measured between two calls of `rest`. */
const REST_BYTES = 64 * 1024;

/** Returns whether a cell of a row has more bytes than the limit. */
export async function hasLargeCell(row: readonly WireValue[], limit: number, rest: Rest): Promise<boolean> {
  for (const value of row) {
    if (typeof value !== "object" || value === null || isJsonText(value) || isLargeCell(value)) {
      if (valueBytes(value) > limit) return true;
      continue;
    }
    let [bytes, rested] = [0, 0];
    for (const slice of jsonSlices(value)) {
      bytes += Buffer.byteLength(slice);
      if (bytes > limit) return true;
      if (bytes - rested < REST_BYTES) continue;
      rested = bytes;
      await rest();
    }
  }
  return false;
}

/** Trims trailing zeros: `.500000` is `.5`, and an empty fraction is removed. */
export function trimFraction(text: string): string {
  const point = text.indexOf(".");
  if (point < 0) return text;
  return text.replace(/\.?0+$/, "");
}

/** Returns a number within a list or an object, exact in every digit. NaN and infinity stay texts. */
export function exactNumber(value: WireValue): WireValue {
  const isText = typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value);
  return isText ? (new ExactNumber(value) as unknown as WireValue) : value;
}
