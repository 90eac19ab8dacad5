import { parseJsonWithTexts } from "@/lib/base/values/exact-json";
import type { Batch, WireValue } from "@/lib/base/values/fields";
import { shortestFloat32 } from "@/lib/base/values/float32";
import { isJsonText } from "@/lib/base/values/json-text";
import { LargeJson, parseLargeJson } from "@/lib/base/values/large-json";
import { Pacer } from "@/lib/platform/process/pacer";

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

/** Characters of a cell beyond which parsing takes more than a few milliseconds. */
const JSON_CHARS_AT_ONCE = 256 * 1024;

/**
 * Parses like `jsonValue`, except a large cell, which waits for `parseLargeCells`: a driver calls it before rows leave.
 */
export function jsonCell(text: string): WireValue {
  return text.length > JSON_CHARS_AT_ONCE ? (new LargeJson(text) as unknown as WireValue) : jsonValue(text);
}

/** Parses the large JSON cells of a batch, in slices between which the event loop serves others. */
export async function parseLargeCells(batch: Batch): Promise<Batch> {
  const pacer = new Pacer();
  for (const column of batch.columns) {
    for (const [row, value] of column.entries()) {
      if (!isLargeJson(value)) continue;
      try {
        column[row] = (await parseLargeJson(value.text, () => pacer.restIfLate())) as WireValue;
      } catch {
        column[row] = value.text;
      }
    }
  }
  return batch;
}

/** Returns the characters of a JSON cell that is not parsed, or not yet; 0 for other values. */
export function jsonChars(value: WireValue): number {
  if (isJsonText(value)) return value.json.length;
  return isLargeJson(value) ? (value as LargeJson).text.length : 0;
}

function isLargeJson(value: unknown): value is LargeJson {
  return value instanceof LargeJson;
}

/**
 * Parses a JSON response of a protocol, in which floats are doubles with any number of digits. An integer that a double
 * cannot hold becomes its text; text that is not JSON stays text.
 */
export function protocolValue(text: string): WireValue {
  try {
    return parseJsonWithTexts(text, (source, value) => {
      const isInteger = /^-?\d+$/.test(source);
      if (isInteger && !Number.isSafeInteger(value)) return source;
      return Number.isFinite(value) ? null : String(value);
    }) as WireValue;
  } catch {
    return text;
  }
}

/** Returns the bytes of a value in a response, exact for text, and 0 for small values. */
export function valueBytes(value: WireValue): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (isJsonText(value)) return Buffer.byteLength(value.json);
  if (isLargeJson(value)) return Buffer.byteLength((value as LargeJson).text);
  return typeof value === "object" && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 0;
}

/** Trims trailing zeros: `.500000` is `.5`, and an empty fraction is removed. */
export function trimFraction(text: string): string {
  const point = text.indexOf(".");
  if (point < 0) return text;
  return text.replace(/\.?0+$/, "");
}
