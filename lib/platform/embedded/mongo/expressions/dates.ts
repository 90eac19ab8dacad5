import { docOf, isDoc, ObjectId, Timestamp, toWholeNumber, typeName, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { type Argument, named, requireDoc } from "./arguments.ts";
import { makeDate } from "./arithmetic.ts";
import { formatDate, fromLocal, isoWeekOf, isoWeekStart, parseDate, parseDateByFormat } from "./date-text.ts";
import type { Compile, Env, Evaluator, Operator } from "./scope.ts";
import { isNullish } from "./truth.ts";
import { offsetAt, parseZone, type Zone } from "./zones.ts";

const DAY_MS = 86_400_000;

function asDate(value: Argument, name: string): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (value instanceof Timestamp) return new Date((value.t >>> 0) * 1000);
  throw new StoreError(16006, `can't convert from BSON type ${typeName(value)} to Date in ${name}`);
}

/** Returns the zone of an operator: undefined is UTC, null means that the result is null. */
function zoneOf(evaluate: Evaluator | undefined, env: Env): Zone | undefined | null {
  if (evaluate === undefined) return undefined;
  const value = evaluate(env);
  if (isNullish(value)) return null;
  if (typeof value !== "string")
    throw new StoreError(40533, `timezone must evaluate to a string, found ${typeName(value)}`);
  return parseZone(value);
}

function toLocal(date: Date, zone: Zone | undefined): Date {
  return zone === undefined ? date : new Date(date.getTime() + offsetAt(zone, date.getTime()));
}

/** Creates a date part such as `{$year: "$at"}` or `{$year: {date: "$at", timezone: "Europe/Berlin"}}`. */
function part(name: string, read: (local: Date) => Value): [string, Operator] {
  return [
    name,
    (argument, compile) => {
      let date: Evaluator;
      let timezone: Evaluator | undefined;
      if (isDoc(argument) && argument.has("date")) {
        ({ date, timezone } = named(name, argument, compile, ["date"], ["timezone"]));
      } else date = compile(Array.isArray(argument) && argument.length === 1 ? (argument[0] as Value) : argument);
      return (env) => {
        const value = date(env);
        const zone = zoneOf(timezone, env);
        if (isNullish(value) || zone === null) return null;
        return read(toLocal(asDate(value, name), zone));
      };
    },
  ];
}

function dayOfYear(local: Date): number {
  return Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;
}

const UNITS = ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond"] as const;
type Unit = (typeof UNITS)[number];

const FIXED_MS: Partial<Record<Unit, number>> = {
  week: 7 * DAY_MS,
  day: DAY_MS,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};

function unitOf(value: Argument, name: string): Unit {
  if (typeof value !== "string")
    throw new StoreError(5439013, `${name} requires 'unit' to be a string, but got ${typeName(value)}`);
  const unit = UNITS.find((known) => known === value);
  if (unit === undefined)
    throw new StoreError(
      "FailedToParse",
      `${name} parameter 'unit' value cannot be recognized as a time unit: ${value}`,
    );
  return unit;
}

/** Adds units to a date. Months keep the day or end on the month's last day; days keep the local time. */
export function addUnits(date: Date, unit: Unit, amount: number, zone: Zone | undefined): Date {
  const fixedMs = FIXED_MS[unit];
  if (fixedMs !== undefined && unit !== "day" && unit !== "week") return makeDate(date.getTime() + fixedMs * amount);
  const local = toLocal(date, zone);
  if (fixedMs !== undefined) return makeDate(fromLocal(local.getTime() + fixedMs * amount, zone).getTime());
  const months = amount * (unit === "year" ? 12 : unit === "quarter" ? 3 : 1);
  const target = new Date(local.getTime());
  target.setUTCDate(1);
  target.setUTCMonth(target.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  target.setUTCDate(Math.min(local.getUTCDate(), lastDay));
  return makeDate(fromLocal(target.getTime(), zone).getTime());
}

function shift(name: "$dateAdd" | "$dateSubtract"): [string, Operator] {
  return [
    name,
    (argument, compile) => {
      const parts = named(name, argument, compile, ["startDate", "unit", "amount"], ["timezone"]);
      return (env) => {
        const start = parts.startDate(env);
        const unit = parts.unit(env);
        const amount = parts.amount(env);
        const zone = zoneOf(parts.timezone, env);
        if (isNullish(start) || isNullish(unit) || isNullish(amount) || zone === null) return null;
        const n = toWholeNumber(amount);
        if (n === undefined) throw new StoreError(5166405, `${name} expects integer amount of time units`);
        return addUnits(asDate(start, name), unitOf(unit, name), name === "$dateAdd" ? n : -n, zone);
      };
    },
  ];
}

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

function weekdayOf(value: Argument, name: string): number {
  if (isNullish(value)) return 6;
  const wanted = typeof value === "string" ? value.toLowerCase() : "";
  const index = WEEKDAYS.findIndex((day) => day === wanted || (wanted.length === 3 && day.startsWith(wanted)));
  if (index < 0)
    throw new StoreError(
      5439015,
      `${name} parameter 'startOfWeek' value cannot be recognized as a day of a week: ${String(value)}`,
    );
  return index;
}

/** Returns the number of the unit's boundary at or before a local time, counted from a fixed one. */
function ordinal(localMs: number, unit: Unit, startOfWeek: number): number {
  const local = new Date(localMs);
  switch (unit) {
    case "year":
      return local.getUTCFullYear();
    case "quarter":
      return local.getUTCFullYear() * 4 + Math.floor(local.getUTCMonth() / 3);
    case "month":
      return local.getUTCFullYear() * 12 + local.getUTCMonth();
    case "week":
      // Day 0 (1970-01-01) was a Thursday.
      return Math.floor((Math.floor(localMs / DAY_MS) + 3 - startOfWeek) / 7);
    default:
      return Math.floor(localMs / (FIXED_MS[unit] ?? 1));
  }
}

const dateDiff: Operator = (argument, compile, name) => {
  const parts = named(name, argument, compile, ["startDate", "endDate", "unit"], ["timezone", "startOfWeek"]);
  return (env) => {
    const [start, end, unitValue] = [parts.startDate(env), parts.endDate(env), parts.unit(env)];
    const zone = zoneOf(parts.timezone, env);
    if (isNullish(start) || isNullish(end) || isNullish(unitValue) || zone === null) return null;
    const unit = unitOf(unitValue, name);
    const startOfWeek = weekdayOf(parts.startOfWeek?.(env), name);
    const [from, to] = [asDate(start, name), asDate(end, name)].map((date) => {
      const isClock = unit === "hour" || unit === "minute" || unit === "second" || unit === "millisecond";
      const local =
        isClock && zone?.kind === "named"
          ? date.getTime() + offsetAt(zone, asDate(start, name).getTime())
          : toLocal(date, zone).getTime();
      return ordinal(local, unit, startOfWeek);
    }) as [number, number];
    return BigInt(to - from);
  };
};

const dateTrunc: Operator = (argument, compile, name) => {
  const parts = named(name, argument, compile, ["date", "unit"], ["binSize", "timezone", "startOfWeek"]);
  return (env) => {
    const value = parts.date(env);
    const unitValue = parts.unit(env);
    const zone = zoneOf(parts.timezone, env);
    if (isNullish(value) || isNullish(unitValue) || zone === null) return null;
    const unit = unitOf(unitValue, name);
    const bin = parts.binSize === undefined ? 1 : toWholeNumber(parts.binSize(env));
    if (bin === undefined || bin < 1)
      throw new StoreError(5439017, `${name} requires 'binSize' to be a positive 64-bit integer`);
    const startOfWeek = weekdayOf(parts.startOfWeek?.(env), name);
    const local = toLocal(asDate(value, name), zone).getTime();
    return fromLocal(truncate(local, unit, bin, startOfWeek), zone);
  };
};

/**
 * Rounds a local time down to a bin. MongoDB counts bins from 2000-01-01, and weeks from the first week start in 2000.
 */
function truncate(localMs: number, unit: Unit, bin: number, startOfWeek: number): number {
  const origin = Date.UTC(2000, 0, 1);
  const months = unit === "year" ? 12 : unit === "quarter" ? 3 : unit === "month" ? 1 : 0;
  if (months > 0) {
    const size = months * bin;
    const sinceOrigin = ordinal(localMs, "month", 0) - 2000 * 12;
    return Date.UTC(2000, Math.floor(sinceOrigin / size) * size, 1);
  }
  const size = (FIXED_MS[unit] ?? 1) * bin;
  // 2000-01-01 was a Saturday, day 5 from Monday.
  const from = unit === "week" ? origin + ((startOfWeek - 5 + 7) % 7) * DAY_MS : origin;
  return from + Math.floor((localMs - from) / size) * size;
}

const dateFromParts: Operator = (argument, compile, name) => {
  const doc = requireDoc(name, argument);
  const isIso = doc.has("isoWeekYear");
  const numbers = ["hour", "minute", "second", "millisecond"] as const;
  const parts = isIso
    ? named(name, argument, compile, ["isoWeekYear"], ["isoWeek", "isoDayOfWeek", ...numbers, "timezone"])
    : named(name, argument, compile, ["year"], ["month", "day", ...numbers, "timezone"]);
  const read = (key: string, otherwise: number, env: Env): number | null => {
    const evaluate = (parts as Record<string, Evaluator | undefined>)[key];
    if (evaluate === undefined) return otherwise;
    const value = evaluate(env);
    if (isNullish(value)) return null;
    const n = toWholeNumber(value);
    if (n === undefined) throw new StoreError(40515, `'${key}' must evaluate to an integer, found ${typeName(value)}`);
    return n;
  };
  return (env) => {
    const zone = zoneOf(parts.timezone, env);
    const clock = numbers.map((key) => read(key, 0, env));
    const days = isIso
      ? [read("isoWeekYear", 1970, env), read("isoWeek", 1, env), read("isoDayOfWeek", 1, env)]
      : [read("year", 1970, env), read("month", 1, env), read("day", 1, env)];
    if (zone === null || [...clock, ...days].includes(null)) return null;
    const [a, b, c] = days as [number, number, number];
    const [hour, minute, second, ms] = clock as [number, number, number, number];
    if (a < 1 || a > 9999)
      throw new StoreError(
        40523,
        `'${isIso ? "isoWeekYear" : "year"}' must evaluate to an integer in the range 1 to 9999, found ${a}`,
      );
    const day = isIso ? isoWeekStart(a, b) + (c - 1) * DAY_MS : new Date(0).setUTCFullYear(a, b - 1, c);
    return makeDate(fromLocal(day + ((hour * 60 + minute) * 60 + second) * 1000 + ms, zone).getTime());
  };
};

const dateToParts: Operator = (argument, compile, name) => {
  const parts = named(name, argument, compile, ["date"], ["timezone", "iso8601"]);
  return (env) => {
    const value = parts.date(env);
    const zone = zoneOf(parts.timezone, env);
    const iso = parts.iso8601?.(env);
    if (isNullish(value) || zone === null || (parts.iso8601 !== undefined && isNullish(iso))) return null;
    const local = toLocal(asDate(value, name), zone);
    const clock = {
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
      second: local.getUTCSeconds(),
      millisecond: local.getUTCMilliseconds(),
    };
    if (iso === true) {
      const { year, week, day } = isoWeekOf(local.getTime());
      return docOf({ isoWeekYear: year, isoWeek: week, isoDayOfWeek: day, ...clock });
    }
    return docOf({ year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate(), ...clock });
  };
};

const dateToString: Operator = (argument, compile, name) => {
  const parts = named(name, argument, compile, ["date"], ["format", "timezone", "onNull"]);
  return (env) => {
    const value = parts.date(env);
    const zone = zoneOf(parts.timezone, env);
    if (isNullish(value)) return parts.onNull === undefined ? null : parts.onNull(env);
    if (zone === null) return null;
    const format = parts.format?.(env);
    if (parts.format !== undefined && isNullish(format)) return null;
    if (format !== undefined && typeof format !== "string")
      throw new StoreError(18533, `$dateToString requires that 'format' be a string, found: ${typeName(format)}`);
    const isUtc = zone === undefined || (zone.kind === "offset" && zone.ms === 0);
    const usual = isUtc ? "%Y-%m-%dT%H:%M:%S.%LZ" : "%Y-%m-%dT%H:%M:%S.%L";
    return formatDate(asDate(value, name), format ?? usual, zone);
  };
};

const dateFromString: Operator = (argument, compile: Compile, name) => {
  const parts = named(name, argument, compile, ["dateString"], ["format", "timezone", "onError", "onNull"]);
  return (env) => {
    const text = parts.dateString(env);
    if (isNullish(text)) return parts.onNull === undefined ? null : parts.onNull(env);
    try {
      if (typeof text !== "string")
        throw new StoreError(
          "ConversionFailure",
          `$dateFromString requires that 'dateString' be a string, found: ${typeName(text)}`,
        );
      const zone = zoneOf(parts.timezone, env);
      const format = parts.format?.(env);
      if (zone === null || (parts.format !== undefined && isNullish(format))) return null;
      return typeof format === "string" ? parseDateByFormat(text, format, zone) : parseDate(text, zone);
    } catch (error) {
      if (parts.onError === undefined || !(error instanceof StoreError) || error.codeName !== "ConversionFailure")
        throw error;
      return parts.onError(env);
    }
  };
};

export const dateOperators: [string, Operator][] = [
  part("$year", (local) => local.getUTCFullYear()),
  part("$month", (local) => local.getUTCMonth() + 1),
  part("$dayOfMonth", (local) => local.getUTCDate()),
  part("$dayOfWeek", (local) => local.getUTCDay() + 1),
  part("$dayOfYear", dayOfYear),
  part("$hour", (local) => local.getUTCHours()),
  part("$minute", (local) => local.getUTCMinutes()),
  part("$second", (local) => local.getUTCSeconds()),
  part("$millisecond", (local) => local.getUTCMilliseconds()),
  part("$week", (local) => Math.floor((dayOfYear(local) + 6 - local.getUTCDay()) / 7)),
  part("$isoWeek", (local) => isoWeekOf(local.getTime()).week),
  part("$isoWeekYear", (local) => BigInt(isoWeekOf(local.getTime()).year)),
  part("$isoDayOfWeek", (local) => isoWeekOf(local.getTime()).day),
  shift("$dateAdd"),
  shift("$dateSubtract"),
  ["$dateDiff", dateDiff],
  ["$dateTrunc", dateTrunc],
  ["$dateFromParts", dateFromParts],
  ["$dateToParts", dateToParts],
  ["$dateToString", dateToString],
  ["$dateFromString", dateFromString],
];
