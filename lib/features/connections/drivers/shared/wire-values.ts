import { parseJsonWithTexts } from "@/lib/base/values/exact-json";
import type { WireValue } from "@/lib/base/values/fields";
import { shortestFloat32 } from "@/lib/base/values/float32";
import { isJsonText } from "@/lib/base/values/json-text";

/** int64 from its decimal text: a number while it is exact, else the text. */
export function int64Value(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

/** A double, or the text for what JSON cannot write. */
export function floatValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/** A 32-bit float by its shortest number, or the text for what JSON cannot write. */
export function float32Value(value: number): number | string {
  return floatValue(shortestFloat32(value));
}

/** Parses a JSON cell. A number that a double cannot hold is its text; text that is not JSON stays text. */
export function jsonValue(text: string): WireValue {
  try {
    return parseJsonWithTexts(text) as WireValue;
  } catch {
    return text;
  }
}

/**
 * Parses an answer of a protocol that is JSON, in which floats are doubles in however many digits. An integer that a
 * double cannot hold is its text; text that is not JSON stays text.
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

/** Bytes that a value takes in an answer, exact for text, and 0 for what is always small. */
export function valueBytes(value: WireValue): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (isJsonText(value)) return Buffer.byteLength(value.json);
  return typeof value === "object" && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 0;
}

/** `.500000` is `.5`, and no fraction is none. */
export function trimFraction(text: string): string {
  const point = text.indexOf(".");
  if (point < 0) return text;
  return text.replace(/\.?0+$/, "");
}
