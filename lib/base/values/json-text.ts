import { ExactNumber, parseExactJson } from "@/lib/base/values/exact-json";
import type { WireValue } from "./fields";

/**
 * A JSON document as its text, which is how JSON travels through flows: every digit, the kinds of its values and a JSON
 * null are preserved, and nothing is parsed on the way. Only flows hold these; answers hold parsed values.
 */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }

  /** Returns its value for JSON.stringify, with all digits of its numbers. */
  toJSON(): unknown {
    const value = parseExactJson(this.json);
    // JSON.stringify calls toJSON once, and not on its result.
    return value instanceof ExactNumber ? value.toJSON() : value;
  }

  toString(): string {
    return this.json;
  }
}

/** Wraps JSON text as a cell of a flow. */
export function jsonText(json: string): WireValue {
  return new JsonText(json) as unknown as WireValue;
}

/** Wraps a value as a flow's cell of JSON. Null is a missing value. */
export function toJsonText(value: unknown): WireValue {
  return value === null || value === undefined ? null : jsonText(JSON.stringify(value));
}

export function isJsonText(value: unknown): value is JsonText {
  return value instanceof JsonText;
}
