import type { Field, FieldType, WireValue } from "./fields.ts";
import { isBelowMicros, isUnsigned64, precisionOf } from "./precision.ts";
import { daysOf, microsOf } from "./stamps.ts";

/*
 * Converts wire values to the cells of typed files (Arrow, Parquet). Each function returns undefined for a value that
 * the cell's type cannot hold exactly; null is never passed.
 */

/** Maximum precision that all readers of Parquet support. */
export const DECIMAL_DIGITS_MAX = 38;
/** Maximum digits of a decimal that is stored as an int64. */
export const INT64_DIGITS_MAX = 18;
/** Maximum digits of a 128-bit integer, the type of sums. Counted values stay far below that. */
const HUGE_DIGITS = 39;

const INT32_MAX = 2n ** 31n - 1n;
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;
const INTEGER = /^-?\d+$/;

export function toInt32(value: WireValue): number | undefined {
  const whole = toWhole(value, -INT32_MAX - 1n, INT32_MAX);
  return whole === undefined ? undefined : Number(whole);
}

export function toInt64(value: WireValue): bigint | undefined {
  return toWhole(value, -INT64_MAX - 1n, INT64_MAX);
}

export function toUint64(value: WireValue): bigint | undefined {
  return toWhole(value, 0n, UINT64_MAX);
}

export function toFloat64(value: WireValue): number | undefined {
  if (typeof value === "number") return value;
  return value === "NaN" || value === "Infinity" || value === "-Infinity" ? Number(value) : undefined;
}

export function toBoolean(value: WireValue): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

export function toBytes(value: WireValue): Uint8Array | undefined {
  if (typeof value !== "string") return undefined;
  const bytes = Buffer.from(value, "base64");
  // Base64 has four characters for every three bytes; otherwise the value is text instead of bytes.
  return value.length === Math.ceil(bytes.length / 3) * 4 ? Uint8Array.from(bytes) : undefined;
}

/**
 * Returns microseconds since 1970. Infinity is the largest number, as DuckDB writes it, so no finite time may have it.
 */
export function toMicros(value: WireValue): bigint | undefined {
  if (value === "infinity" || value === "-infinity") return value === "infinity" ? INT64_MAX : -INT64_MAX;
  const micros = microsOf(value);
  return micros !== undefined && micros < INT64_MAX && micros > -INT64_MAX ? micros : undefined;
}

/** Returns days since 1970, with infinity as in `toMicros`. */
export function toDays(value: WireValue): number | undefined {
  if (value === "infinity" || value === "-infinity") return Number(value === "infinity" ? INT32_MAX : -INT32_MAX);
  const days = daysOf(value);
  return days !== undefined && Math.abs(days) < Number(INT32_MAX) ? days : undefined;
}

/** Returns the decimal type of a Parquet column for these values; null if the column is text. */
export function decimalOf(field: Pick<Field, "dbType">): { precision: number; scale: number } | null {
  const { precision, scale } = precisionOf(field) ?? { precision: Number.POSITIVE_INFINITY, scale: 0 };
  if ((precision > DECIMAL_DIGITS_MAX && !isHuge({ precision, scale })) || scale > precision) return null;
  return { precision: Math.min(precision, DECIMAL_DIGITS_MAX), scale };
}

function isHuge({ precision, scale }: { precision: number; scale: number }): boolean {
  return precision === HUGE_DIGITS && scale === 0;
}

/** Returns a decimal's digits as an integer, the last `scale` of them after the point. */
export function toUnscaled(value: WireValue, digits: number, scale: number): bigint | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(String(value));
  if (!match || value === "") return undefined;
  const [, sign = "", whole = "", fraction = ""] = match;
  const kept = fraction.replace(/0+$/, "");
  if (kept.length > scale) return undefined;
  const unscaled = BigInt(`${whole}${kept.padEnd(scale, "0")}` || "0");
  if (unscaled >= 10n ** BigInt(digits)) return undefined;
  return sign === "-" ? -unscaled : unscaled;
}

type Holds = (value: WireValue) => boolean;
const by =
  (toCell: (value: WireValue) => unknown): ((field: Field) => Holds) =>
  () =>
  (value) =>
    toCell(value) !== undefined;

const ARROW: Partial<Record<FieldType, (field: Field) => Holds | null>> = {
  int32: by(toInt32),
  int64: (field) => (isUnsigned64(field) ? by(toUint64)(field) : by(toInt64)(field)),
  float64: by(toFloat64),
  boolean: by(toBoolean),
  binary: by(toBytes),
};
const stamp = (field: Field) => (isBelowMicros(field) ? null : by(toMicros)(field));
const PARQUET: typeof ARROW = {
  ...ARROW,
  date: by(toDays),
  timestamp: stamp,
  timestamptz: stamp,
  decimal: (field) => {
    const decimal = decimalOf(field);
    return decimal && ((value) => toUnscaled(value, decimal.precision, decimal.scale) !== undefined);
  },
};

export type TypedFormat = "arrow" | "parquet";

/**
 * Returns a function that tests whether the format's column for this field can hold a value; null if the column is
 * text.
 */
export function holdsOf(format: TypedFormat, field: Field): Holds | null {
  return (format === "arrow" ? ARROW : PARQUET)[field.type]?.(field) ?? null;
}

/** Returns whether values of the field's type may exceed its Parquet column, for any database. */
export function isWiderThanParquet(field: Field): boolean {
  const known = field.type === "decimal" ? precisionOf(field) : null;
  return known !== null && isHuge(known);
}

function toWhole(value: WireValue, min: bigint, max: bigint): bigint | undefined {
  // An integer other than -0: integers have only one zero.
  const isWhole =
    (Number.isInteger(value) && !Object.is(value, -0)) || (typeof value === "string" && INTEGER.test(value));
  if (!isWhole) return undefined;
  const whole = BigInt(value as number | string);
  return whole >= min && whole <= max ? whole : undefined;
}
