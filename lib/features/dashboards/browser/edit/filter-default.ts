import type { Filter } from "@/lib/features/dashboards/schema";

/** Types with numbers in rows; exact numbers and dates are texts. */
const NUMBERS = new Set(["int32", "int64", "float64"]);

/**
 * Converts typed text to a filter's default; null for none.
 * @param type of the field, which determines the representation of its values; undefined while unknown
 */
export function toFilterDefault(kind: Filter["kind"], text: string, type?: string): unknown {
  if (text === "") return null;
  if (kind === "search") return text;
  if (kind !== "multiSelect") return toValue(text, type);
  const values = text.split(",").map((value) => toValue(value.trim(), type));
  return values.every((value) => value === "") ? null : values;
}

function toValue(text: string, type: string | undefined): string | number | boolean {
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  const number = Number(text);
  // Incomplete input, and numbers that a double cannot represent exactly, stay text.
  const isExact = type !== undefined && NUMBERS.has(type) && text.trim() !== "" && String(number) === text;
  return isExact && (type === "float64" || Number.isSafeInteger(number)) ? number : text;
}

/** Returns a default as editable text. */
export function toDefaultText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(String).join(", ");
  if (typeof value !== "object") return String(value);
  const { from, to } = value as { from?: string | null; to?: string | null };
  return from && to ? `${from} to ${to}` : from ? `From ${from}` : to ? `To ${to}` : "";
}
