import type { WireValue } from "./fields";

/** Returns a value as exact text: strings unchanged, lists and objects as JSON, and negative zero with its sign. */
export function textOf(value: WireValue): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return numberText(value);
  return JSON.stringify(value);
}

/** Returns a number as JSON writes it, but keeps the sign of negative zero, which `String` and `JSON.stringify` drop. */
export function numberText(value: number): string {
  return value === 0 && Object.is(value, -0) ? "-0" : String(value);
}
