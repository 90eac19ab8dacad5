import type { Field } from "./fields";

/** Total number of digits, and number of decimal places. */
export type Precision = { precision: number; scale: number };

const WHOLE: readonly [pattern: RegExp, digits: number][] = [
  [/u?int256/i, 78],
  [/u?(?:hugeint|int128)/i, 39],
];

/** Returns the precision and scale of a decimal type; null if the type has none, such as PostgreSQL's plain numeric. */
export function precisionOf({ dbType }: Pick<Field, "dbType">): Precision | null {
  const [, first, second] = /\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)/.exec(dbType) ?? [];
  if (first !== undefined) return { precision: Number(first), scale: Number(second ?? 0) };
  const whole = WHOLE.find(([pattern]) => pattern.test(dbType));
  return whole ? { precision: whole[1], scale: 0 } : null;
}

/**
 * Returns the digits of a column for such decimals, if an engine has no type for all of them. Unknown or excessive
 * digits get the widest type; a row with more digits is rejected, never rounded.
 */
export function decimalWithin(field: Pick<Field, "dbType">, max: Precision): Precision {
  const known = precisionOf(field);
  if (known === null) return max;
  if (known.precision <= max.precision && known.scale <= max.precision) return known;
  return known.scale === 0 ? { precision: max.precision, scale: 0 } : max;
}

const UNSIGNED_64 = /^bigint.* unsigned|^ubigint$|^xid8$|\buint64\b/i;

/** Returns whether a column has unsigned integers beyond a signed int64, up to 2^64 - 1. */
export function isUnsigned64({ type, dbType }: Pick<Field, "type" | "dbType">): boolean {
  return type === "int64" && UNSIGNED_64.test(dbType);
}

/** Returns whether timestamps or times of such a column may be finer than microseconds. */
export function isBelowMicros({ dbType }: Pick<Field, "dbType">): boolean {
  if (/_ns$/i.test(dbType)) return true;
  const [, digits] = /(?:time64|timestamp|time)\((\d+)/i.exec(dbType) ?? [];
  return digits !== undefined && Number(digits) > 6;
}

export function isUuid({ type, dbType }: Pick<Field, "type" | "dbType">): boolean {
  return type === "string" && /^(?:nullable\()?uuid/i.test(dbType);
}
