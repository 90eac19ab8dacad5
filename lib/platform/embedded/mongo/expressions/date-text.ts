import { BSONRegExp } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileRegex } from "../query/regex.ts";
import { offsetAt, parseZone, type Zone } from "./zones.ts";

const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * Parses an ISO 8601 date.
 * @param zone for a text without one; undefined is UTC
 * @throws StoreError ConversionFailure (241)
 */
export function parseDate(text: string, zone: Zone | undefined): Date {
  const match = ISO.exec(text);
  if (match === null) throw unreadable(text);
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", offset] = match;
  const ms = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.padEnd(3, "0").slice(0, 3)),
  );
  const isReal = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (!isReal || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) throw unreadable(text);
  if (offset !== undefined && zone !== undefined) {
    throw new StoreError(
      "ConversionFailure",
      `you cannot pass in a date/time string with GMT offset together with a timezone argument`,
    );
  }
  const used = offset === undefined ? zone : parseZone(offset.toUpperCase());
  return fromLocal(ms, used);
}

function unreadable(text: string): StoreError {
  return new StoreError("ConversionFailure", `Error parsing date string '${text}'`);
}

/** Returns the instant at which a clock in the zone shows the given local time (written as if it were UTC). */
export function fromLocal(localMs: number, zone: Zone | undefined): Date {
  if (zone === undefined) return new Date(localMs);
  const guess = localMs - offsetAt(zone, localMs);
  return new Date(localMs - offsetAt(zone, guess));
}

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Parses a date by a format of `%Y %m %d %H %M %S %L %z %Z %j %b %B %G %V %u %%`. */
export function parseDateByFormat(text: string, format: string, zone: Zone | undefined): Date {
  let pattern = "";
  const names: string[] = [];
  const piece = (name: string, source: string): void => {
    names.push(name);
    pattern += `(${source})`;
  };
  for (let i = 0; i < format.length; i++) {
    const char = format[i] as string;
    if (char !== "%") {
      pattern += char.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
      continue;
    }
    i++;
    const specifier = format[i];
    switch (specifier) {
      case "Y":
      case "G":
        piece(specifier, "\\d{4}");
        break;
      case "m":
      case "d":
      case "H":
      case "M":
      case "S":
      case "V":
        piece(specifier, "\\d{1,2}");
        break;
      case "u":
        piece(specifier, "[1-7]");
        break;
      case "j":
      case "L":
        piece(specifier, "\\d{1,3}");
        break;
      case "b":
        piece(specifier, MONTHS.map((month) => month.slice(0, 3)).join("|"));
        break;
      case "B":
        piece(specifier, MONTHS.join("|"));
        break;
      case "z":
        piece(specifier, "Z|[+-]\\d{2}:?\\d{2}");
        break;
      case "Z":
        piece(specifier, "[+-]?\\d+");
        break;
      case "%":
        pattern += "%";
        break;
      default:
        throw new StoreError(18536, `Invalid format character '%${specifier ?? ""}' in format string`);
    }
  }
  const match = compileRegex(new BSONRegExp(`^${pattern}$`, "i")).first(text);
  if (match === undefined)
    throw new StoreError("ConversionFailure", `Error parsing date string '${text}' by the format '${format}'`);
  const parts = new Map(names.map((name, i) => [name, match.captures[i] as string]));
  const n = (name: string, otherwise: number): number => (parts.has(name) ? Number(parts.get(name)) : otherwise);
  const monthName = (parts.get("B") ?? parts.get("b"))?.slice(0, 3).toLowerCase();
  const named = MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === monthName);
  let day: number;
  if (parts.has("G")) day = isoWeekStart(n("G", 1970), n("V", 1)) + (n("u", 1) - 1) * 86_400_000;
  else if (parts.has("j")) day = Date.UTC(n("Y", 1970), 0, n("j", 1));
  else day = Date.UTC(n("Y", 1970), named >= 0 ? named : n("m", 1) - 1, n("d", 1));
  const clock = ((n("H", 0) * 60 + n("M", 0)) * 60 + n("S", 0)) * 1000 + n("L", 0);
  if (n("m", 1) > 12 || n("d", 1) > 31 || n("H", 0) > 23 || n("M", 0) > 59 || n("S", 0) > 59) throw unreadable(text);
  const offset = parts.get("z");
  if (offset !== undefined) return fromLocal(day + clock, parseZone(offset.toUpperCase()));
  if (parts.has("Z")) return new Date(day + clock - n("Z", 0) * 60_000);
  return fromLocal(day + clock, zone);
}

/** Returns the Monday on which an ISO week starts, in ms. */
export function isoWeekStart(year: number, week: number): number {
  const fourth = Date.UTC(year, 0, 4);
  const weekday = (new Date(fourth).getUTCDay() + 6) % 7;
  return fourth + (week - 1) * 7 * 86_400_000 - weekday * 86_400_000;
}

/** Returns the ISO 8601 week and year of a local time written as if it were UTC. */
export function isoWeekOf(localMs: number): { year: number; week: number; day: number } {
  const date = new Date(localMs);
  const day = ((date.getUTCDay() + 6) % 7) + 1;
  const thursday = new Date(localMs + (4 - day) * 86_400_000);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * 86_400_000)) + 1;
  return { year, week, day };
}

/** Formats a date. */
export function formatDate(instant: Date, format: string, zone: Zone | undefined): string {
  const offset = zone === undefined ? 0 : offsetAt(zone, instant.getTime());
  const local = new Date(instant.getTime() + offset);
  const pad = (n: number, width: number): string => String(n).padStart(width, "0");
  const startOfYear = Date.UTC(local.getUTCFullYear(), 0, 1);
  const dayOfYear = Math.floor((local.getTime() - startOfYear) / 86_400_000) + 1;
  return format.replaceAll(/%(.?)/gs, (_, specifier: string) => {
    switch (specifier) {
      case "Y":
        return pad(local.getUTCFullYear(), 4);
      case "m":
        return pad(local.getUTCMonth() + 1, 2);
      case "d":
        return pad(local.getUTCDate(), 2);
      case "H":
        return pad(local.getUTCHours(), 2);
      case "M":
        return pad(local.getUTCMinutes(), 2);
      case "S":
        return pad(local.getUTCSeconds(), 2);
      case "L":
        return pad(local.getUTCMilliseconds(), 3);
      case "j":
        return pad(dayOfYear, 3);
      case "w":
        return String(local.getUTCDay() + 1);
      case "u":
        return String(isoWeekOf(local.getTime()).day);
      case "U":
        return pad(Math.floor((dayOfYear + 6 - local.getUTCDay()) / 7), 2);
      case "V":
        return pad(isoWeekOf(local.getTime()).week, 2);
      case "G":
        return pad(isoWeekOf(local.getTime()).year, 4);
      case "b":
        return (MONTHS[local.getUTCMonth()] ?? "").slice(0, 3);
      case "B":
        return MONTHS[local.getUTCMonth()] ?? "";
      case "z": {
        const minutes = Math.abs(Math.trunc(offset / 60_000));
        return `${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60), 2)}${pad(minutes % 60, 2)}`;
      }
      case "Z":
        return `${offset < 0 ? "-" : "+"}${pad(Math.abs(Math.trunc(offset / 60_000)), 3)}`;
      case "%":
        return "%";
      default:
        throw new StoreError(18536, `Invalid format character '%${specifier}' in format string`);
    }
  });
}
