import { isDay } from "@/lib/base/values/date-presets";

/** Lifetimes of a new API key, as its form offers them; `days` is null for a key that does not expire. */
export const KEY_LIFETIMES = [
  { value: "30", label: "In 30 days", days: 30 },
  { value: "90", label: "In 90 days", days: 90 },
  { value: "365", label: "In 1 year", days: 365 },
  { value: "date", label: "Custom date", days: null },
  { value: "never", label: "Never", days: null },
] as const;
export type KeyLifetime = (typeof KEY_LIFETIMES)[number]["value"];

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Returns the expiry of a key with this lifetime.
 * @param day for "date": as a date field has it, "2027-05-21"; the key lasts through that day in the reader's zone
 * @returns null for a key without an expiry
 * @throws RangeError for an invalid or past day
 */
export function toExpiry(lifetime: KeyLifetime, day: string, now: Date): string | null {
  if (lifetime === "never") return null;
  if (lifetime !== "date") return new Date(now.getTime() + Number(lifetime) * DAY_MS).toISOString();
  return toEndOfDay(day, now);
}

/**
 * Returns the last moment of a day in this device's zone, as ISO text.
 * @param day as a date field has it: YYYY-MM-DD
 * @throws RangeError with a readable message for an invalid or past day
 */
export function toEndOfDay(day: string, now: Date): string {
  const [year, month, date] = day.split("-").map(Number);
  const end = new Date(year ?? Number.NaN, (month ?? Number.NaN) - 1, date ?? Number.NaN, 23, 59, 59, 999);
  if (!isDay(day)) throw new RangeError("Select an expiry date.");
  if (end <= now) throw new RangeError("Select a date in the future.");
  return end.toISOString();
}
