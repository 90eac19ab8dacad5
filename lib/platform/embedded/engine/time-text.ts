/** ISO 8601 text of dates and times, exact to the last digit that the database keeps. */

const MICROS_PER_SECOND = 1_000_000;
const SECONDS_PER_DAY = 86_400;
const MICROS_PER_DAY = BigInt(SECONDS_PER_DAY) * BigInt(MICROS_PER_SECOND);
const NANOS_PER_DAY = MICROS_PER_DAY * 1000n;
/** Days of 400 Gregorian years, after which the calendar repeats. */
const DAYS_PER_ERA = 146_097;
/** Days from 1 March of year 0 to 1970-01-01. */
const DAYS_TO_EPOCH = 719_468;
/** DuckDB's values for infinite dates and timestamps. */
const INFINITE_DAYS = 2_147_483_647;
const INFINITE_INT64 = 9_223_372_036_854_775_807n;

/**
 * Formats a date.
 * @param days since 1970-01-01 in the proleptic Gregorian calendar
 * @returns `2026-10-31`; years before 0 and after 9999 have a sign and at least six digits, and year 0 is 1 BC
 */
export function dateText(days: number): string {
  if (days === INFINITE_DAYS) return "infinity";
  if (days === -INFINITE_DAYS) return "-infinity";
  // Years start in March, so that the leap day is the last of its year.
  const shifted = days + DAYS_TO_EPOCH;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${yearText(year)}-${two(month)}-${two(day)}`;
}

/** Formats a time as `12:34:56`, with a fraction if there is one. */
export function timeText(secondOfDay: number, fraction: number, fractionDigits: number): string {
  const minuteOfDay = Math.floor(secondOfDay / 60);
  const clock = `${two(Math.floor(minuteOfDay / 60))}:${two(minuteOfDay % 60)}:${two(secondOfDay % 60)}`;
  return fraction === 0 ? clock : `${clock}.${fractionText(fraction, fractionDigits)}`;
}

export function timeTextOfMicros(micros: bigint): string {
  const value = Number(micros);
  return timeText(Math.floor(value / MICROS_PER_SECOND), value % MICROS_PER_SECOND, 6);
}

export function timeTextOfNanos(nanos: bigint): string {
  return timeText(Number(nanos / 1_000_000_000n), Number(nanos % 1_000_000_000n), 9);
}

/** Formats an offset as `+02:00` or `-00:00:30`, with seconds only if the zone has them. */
export function offsetText(offsetSeconds: number): string {
  const absolute = Math.abs(offsetSeconds);
  const seconds = absolute % 60 === 0 ? "" : `:${two(absolute % 60)}`;
  const sign = offsetSeconds < 0 ? "-" : "+";
  return `${sign}${two(Math.floor(absolute / 3600))}:${two(Math.floor(absolute / 60) % 60)}${seconds}`;
}

/** Formats a timestamp as `2026-10-31T12:34:56.123456`, or `infinity`. */
export function timestampTextOfMicros(micros: bigint): string {
  if (isInfinite(micros)) return infinityText(micros);
  // Almost every timestamp fits a double exactly, which is much faster than BigInt arithmetic.
  const value = Number(micros);
  if (Number.isSafeInteger(value)) return timestampWriter()(value);
  const days = floorDivide(micros, MICROS_PER_DAY);
  return join(Number(days), timeTextOfMicros(micros - days * MICROS_PER_DAY));
}

/**
 * Returns a formatter of microseconds that a double holds exactly. It caches the last day, because consecutive
 * timestamps are mostly of one day.
 */
export function timestampWriter(): (micros: number) => string {
  let day = Number.NaN;
  let dayText = "";
  return (micros) => {
    const seconds = Math.floor(micros / MICROS_PER_SECOND);
    const days = Math.floor(seconds / SECONDS_PER_DAY);
    if (days !== day) {
      day = days;
      dayText = `${dateText(days)}T`;
    }
    return dayText + timeText(seconds - days * SECONDS_PER_DAY, micros - seconds * MICROS_PER_SECOND, 6);
  };
}

export function timestampTextOfNanos(nanos: bigint): string {
  if (isInfinite(nanos)) return infinityText(nanos);
  const days = floorDivide(nanos, NANOS_PER_DAY);
  return join(Number(days), timeTextOfNanos(nanos - days * NANOS_PER_DAY));
}

/** Converts seconds and milliseconds to microseconds; infinite values do not change. */
export function timestampTextOf(value: bigint, microsPerUnit: bigint): string {
  return isInfinite(value) ? infinityText(value) : timestampTextOfMicros(value * microsPerUnit);
}

/**
 * Formats an ISO 8601 duration, in which each part has a separate sign, as in PostgreSQL, because months, days and time
 * do not convert into each other. `P1Y2M3DT4H5M6.5S`, `P-1D`, `PT0S`.
 */
export function intervalText(months: number, days: number, micros: bigint): string {
  const part = (amount: number | string, unit: string) => (Number(amount) === 0 ? "" : `${amount}${unit}`);
  const sign = micros < 0n ? "-" : "";
  const absolute = micros < 0n ? -micros : micros;
  const seconds = absolute / 1_000_000n;
  const fraction = Number(absolute % 1_000_000n);
  const secondText = `${seconds % 60n}${fraction === 0 ? "" : `.${fractionText(fraction, 6)}`}`;
  const date = part(Math.trunc(months / 12), "Y") + part(months % 12, "M") + part(days, "D");
  const time =
    part(`${sign}${seconds / 3600n}`, "H") +
    part(`${sign}${(seconds / 60n) % 60n}`, "M") +
    part(sign + secondText, "S");
  if (date === "" && time === "") return "PT0S";
  return `P${date}${time === "" ? "" : `T${time}`}`;
}

function join(days: number, time: string): string {
  return `${dateText(days)}T${time}`;
}

function isInfinite(value: bigint): boolean {
  return value === INFINITE_INT64 || value === -INFINITE_INT64;
}

function infinityText(value: bigint): string {
  return value > 0n ? "infinity" : "-infinity";
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient;
}

function fractionText(fraction: number, digits: number): string {
  return String(fraction).padStart(digits, "0").replace(/0+$/, "");
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, "0");
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

/** All two-digit numbers, cached because timestamps are formatted by the million. */
const TWO_DIGITS = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, "0"));

function two(value: number): string {
  return TWO_DIGITS[value] ?? String(value);
}
