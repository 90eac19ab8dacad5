import { ExactNumber } from "@/lib/base/values/exact-json";
import { compareNumberText, isPlainNumber } from "@/lib/base/values/exact-number";

/** A value that orders records: a number, a time as text, or any other text. */
export type CursorValue = string | number;

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9})\d*)?\s?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Texts for infinity and NaN in services. As a checkpoint they would hide every later record. */
const ENDLESS: ReadonlySet<string> = new Set(["NaN", "Infinity", "-Infinity", "infinity", "-infinity"]);

/** Returns a cursor value; null for null, absent and unordered values. */
export function toCursorValue(value: unknown): CursorValue | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value instanceof ExactNumber) return Number.isFinite(Number(value.text)) ? value.text : null;
  return typeof value === "string" && value !== "" && !ENDLESS.has(value) ? value : null;
}

/**
 * Compares two values of one field as its service does: numbers by size, even as text; times as instants, regardless of
 * their zones and digits; everything else as text.
 * @returns below, at or above 0
 */
export function compareCursors(a: CursorValue, b: CursorValue): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [one, other] = [String(a), String(b)];
  if (/^-?\d+$/.test(one) && /^-?\d+$/.test(other)) {
    const difference = BigInt(one) - BigInt(other);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  if (isPlainNumber(one) && isPlainNumber(other)) return compareNumberText(one, other);
  if (isNumeric(one) && isNumeric(other)) return compareDoubles(Number(one), Number(other));
  const [time, otherTime] = [toInstant(one), toInstant(other)];
  if (time !== null && otherTime !== null) return compareTexts(time, otherTime);
  return compareTexts(one, other);
}

/** Compares doubles; the difference of two infinities would be NaN. */
function compareDoubles(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isNumeric(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns a time in UTC with nine digits of a second, which order as texts. UTC without a zone. Null for other texts.
 */
function toInstant(text: string): string | null {
  const [whole, day, time = "00:00:00", fraction = "", zone = "Z"] = TIME.exec(text) ?? [];
  if (whole === undefined) return null;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const at = Date.parse(`${day}T${time.length === 5 ? `${time}:00` : time}${offset}`);
  if (Number.isNaN(at)) return null;
  return `${new Date(at).toISOString().slice(0, 19)}.${fraction.padEnd(9, "0")}`;
}
