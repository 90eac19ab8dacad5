import type { WireValue } from "./fields";

const DAY_MS = 86_400_000;
const STAMP =
  /^([+-]?\d{4,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?)?$/;

/** Microseconds from 1970 to a stamp; undefined for what is none, or is finer. A stamp of no zone counts as of UTC. */
export function microsOf(value: WireValue): bigint | undefined {
  const match = STAMP.exec(String(value));
  if (!match) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = match;
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > 6) return undefined;
  const days = toDays(Number(year), Number(month), Number(day));
  if (days === undefined) return undefined;
  const seconds = days * 86_400 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offsetSeconds(zone);
  return BigInt(seconds) * 1_000_000n + BigInt(digits.padEnd(6, "0"));
}

/** Days from 1970 to a date; undefined for what is none, and for a day that no calendar has, as MySQL's 0000-00-00. */
export function daysOf(value: WireValue): number | undefined {
  const match = STAMP.exec(String(value));
  if (!match || match[4] !== undefined) return undefined;
  return toDays(Number(match[1]), Number(match[2]), Number(match[3]));
}

function toDays(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() / DAY_MS : undefined;
}

function offsetSeconds(zone: string): number {
  if (zone === "Z") return 0;
  const [hours = 0, minutes = 0, seconds = 0] = (zone.slice(1).match(/\d\d/g) ?? []).map(Number);
  return (zone.startsWith("-") ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}
