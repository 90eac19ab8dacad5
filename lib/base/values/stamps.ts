import type { WireValue } from "./fields";

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const STAMP =
  /^([+-]?\d{4,7})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?)?$/;

/**
 * Returns the microseconds from 1970 to a timestamp; undefined if it is invalid or finer. A timestamp without a zone
 * counts as UTC.
 */
export function microsOf(value: WireValue): bigint | undefined {
  const match = STAMP.exec(String(value));
  if (!match) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = match;
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > 6) return undefined;
  const days = toDays(Number(year), Number(month), Number(day));
  if (days === undefined) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const seconds = days * 86_400 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offsetSeconds(zone);
  return BigInt(seconds) * 1_000_000n + BigInt(digits.padEnd(6, "0"));
}

/**
 * Returns the days from 1970 to a date; undefined for an invalid date, and for a day outside of the calendar, such as
 * MySQL's 0000-00-00.
 */
export function daysOf(value: WireValue): number | undefined {
  const match = STAMP.exec(String(value));
  if (!match || match[4] !== undefined) return undefined;
  return toDays(Number(match[1]), Number(match[2]), Number(match[3]));
}

/**
 * Returns the days from 1970 to a date of the proleptic Gregorian calendar; undefined for an invalid date. Years may be
 * far beyond those of a Date, which ends in 275760.
 */
export function toDays(year: number, month: number, day: number): number | undefined {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 ? (isLeap ? 29 : 28) : (MONTH_DAYS[month - 1] ?? 0);
  if (day < 1 || day > last) return undefined;
  // With years that start in March, the leap day is at their end (H. Hinnant, "chrono-compatible low-level date
  // algorithms").
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function offsetSeconds(zone: string): number {
  if (zone === "Z") return 0;
  const [hours = 0, minutes = 0, seconds = 0] = (zone.slice(1).match(/\d\d/g) ?? []).map(Number);
  return (zone.startsWith("-") ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}
