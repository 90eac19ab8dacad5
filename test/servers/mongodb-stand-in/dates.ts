import { offsetAt } from "../../../lib/base/values/offset.ts";
import { ofLocal } from "../../../lib/base/values/period.ts";
import { ObjectId, Timestamp, typeName, type Value } from "../../../lib/platform/embedded/mongo/bson/values.ts";
import { failedToParse, StoreError } from "../../../lib/platform/embedded/mongo/errors.ts";
import type { Argument } from "../../../lib/platform/embedded/mongo/expressions/arguments.ts";
import type { Operator } from "../../../lib/platform/embedded/mongo/expressions/scope.ts";
import { isNullish } from "../../../lib/platform/embedded/mongo/expressions/truth.ts";
import { named } from "./named-arguments.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(?:[Zz]|([+-])(\d{2}):?(\d{2})?)?$/;

/**
 * Parses an ISO 8601 date. A date without an offset is in UTC.
 * @throws StoreError ConversionFailure (241)
 */
export function parseDate(text: string): Date {
  const match = ISO.exec(text);
  if (match === null) throw unreadable(text);
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", sign, hours, minutes = "0"] = match;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const isReal = new Date(midnight).getUTCDate() === Number(day);
  if (!isReal || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) throw unreadable(text);
  const clockMs = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  const offsetMs = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * 60_000;
  const ms = midnight + clockMs + Number(fraction.padEnd(3, "0").slice(0, 3));
  return new Date(sign === "-" ? ms + offsetMs : ms - offsetMs);
}

function unreadable(text: string): StoreError {
  return new StoreError("ConversionFailure", `Error parsing date string '${text}'`);
}

function asDate(value: Argument, name: string): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (value instanceof Timestamp) return new Date((value.t >>> 0) * 1000);
  throw new StoreError(16006, `can't convert from BSON type ${typeName(value)} to Date in ${name}`);
}

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

function weekdayOf(value: Argument, name: string): number {
  if (isNullish(value)) return 0;
  const index = WEEKDAYS.indexOf(typeof value === "string" ? value.toLowerCase() : "");
  if (index >= 0) return index;
  throw new StoreError(
    5439015,
    `${name} parameter 'startOfWeek' value cannot be recognized as a day of a week: ${String(value)}`,
  );
}

function truncate(date: Date, unit: Value, startOfWeek: number, name: string): Date {
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const midnight = Math.floor(date.getTime() / DAY_MS) * DAY_MS;
  switch (unit) {
    case "year":
      return new Date(Date.UTC(year, 0, 1));
    case "quarter":
      return new Date(Date.UTC(year, month - (month % 3), 1));
    case "month":
      return new Date(Date.UTC(year, month, 1));
    case "week":
      return new Date(midnight - ((date.getUTCDay() - startOfWeek + 7) % 7) * DAY_MS);
    case "day":
      return new Date(midnight);
    case "hour":
      return new Date(Math.floor(date.getTime() / HOUR_MS) * HOUR_MS);
    case "minute":
      return new Date(Math.floor(date.getTime() / MINUTE_MS) * MINUTE_MS);
    default:
      throw failedToParse(`${name} parameter 'unit' value cannot be recognized as a time unit: ${String(unit)}`);
  }
}

const dateTrunc: Operator = (argument, compile, name) => {
  const parts = named(name, argument, compile, ["date", "unit"], ["startOfWeek", "timezone"]);
  return (env) => {
    const value = parts.date(env);
    const unit = parts.unit(env);
    if (isNullish(value) || isNullish(unit)) return null;
    const zone = zoneOf(parts.timezone?.(env));
    const date = asDate(value, name).getTime();
    const local = new Date(date + offsetAt(date, zone));
    const start = truncate(local, unit, weekdayOf(parts.startOfWeek?.(env), name), name).getTime();
    // An hour that clocks show twice is two hours.
    const isShort = unit === "hour" || unit === "minute";
    return new Date(isShort ? start - offsetAt(date, zone) : ofLocal(start, zone).instant);
  };
};

/** Adds units of local time. */
const dateAdd: Operator = (argument, compile, name) => {
  const parts = named(name, argument, compile, ["startDate", "unit", "amount"], ["timezone"]);
  return (env) => {
    const [value, unit, amount] = [parts.startDate(env), parts.unit(env), Number(parts.amount(env))];
    if (isNullish(value) || isNullish(unit)) return null;
    const zone = zoneOf(parts.timezone?.(env));
    const start = asDate(value, name).getTime();
    const months = new Map<Value, number>([["month", 1], ["quarter", 3], ["year", 12]]).get(unit); // biome-ignore format: short
    const short = new Map<Value, number>([["minute", MINUTE_MS], ["hour", HOUR_MS]]).get(unit); // biome-ignore format: short
    if (short !== undefined) return new Date(start + amount * short);
    const local = new Date(start + offsetAt(start, zone));
    if (months === undefined) local.setUTCDate(local.getUTCDate() + amount * (unit === "week" ? 7 : 1));
    else local.setUTCMonth(local.getUTCMonth() + amount * months);
    return new Date(ofLocal(local.getTime(), zone).instant);
  };
};

function zoneOf(value: Argument): string {
  return typeof value === "string" ? value : "UTC";
}

/** Formats a date in UTC by `%Y`, `%m`, `%d` and `%%`. */
function format(date: Date, by: string): string {
  const [year = "", month = "", day = ""] = date.toISOString().slice(0, 10).split("-");
  const texts = new Map([
    ["Y", year],
    ["m", month],
    ["d", day],
    ["%", "%"],
  ]);
  return by.replaceAll(/%(.?)/gs, (_, specifier: string) => {
    const text = texts.get(specifier);
    if (text === undefined) throw new StoreError(18536, `Invalid format character '%${specifier}' in format string`);
    return text;
  });
}

const dateToString: Operator = (argument, compile, name) => {
  const parts = named(name, argument, compile, ["date"], ["format"]);
  return (env) => {
    const value = parts.date(env);
    if (isNullish(value)) return null;
    const by = parts.format?.(env);
    if (by === undefined) return asDate(value, name).toISOString();
    if (typeof by !== "string")
      throw new StoreError(18533, `$dateToString requires that 'format' be a string, found: ${typeName(by)}`);
    return format(asDate(value, name), by);
  };
};

export const dateOperators: [string, Operator][] = [
  ["$dateAdd", dateAdd],
  ["$dateTrunc", dateTrunc],
  ["$dateToString", dateToString],
];
