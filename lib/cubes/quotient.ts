import type { WireValue } from "@/lib/tabular/fields";
import { sumNumberTexts } from "@/lib/text/exact-number";

/** Digits behind the point of an average of decimals, beside those that the numbers have. */
const QUOTIENT_DIGITS = 6;

/** int64 is a number while that is exact (docs/api.md, Queries). */
export function toWhole(value: WireValue): WireValue {
  if (value === null) return null;
  const whole = Number(value);
  return Number.isSafeInteger(whole) ? whole : String(value);
}

/**
 * Returns a sum through a count, rounded half away from zero; null of nothing. The average of decimals is text. That of whole
 * numbers is a number while that number is exact, else text, as int64 is.
 */
export function divide(sum: WireValue, count: number, isDecimal: boolean): WireValue {
  if (sum === null || count === 0) return null;
  const text = String(sum);
  const scale = text.includes(".") ? text.length - text.indexOf(".") - 1 : 0;
  const { average } = sumNumberTexts([text], scale + QUOTIENT_DIGITS, count) ?? { average: null };
  if (isDecimal || average === null) return average;
  const plain = average.replace(/\.?0+$/, "");
  return String(Number(plain)) === plain ? Number(plain) : plain;
}

/** Digits by which quotients of whole numbers are told apart: two of them differ by at least one part in 10^12 for a million rows. */
const RANK_DIGITS = 13n;

/** Returns a number that is greater for a greater quotient, and equal for equal ones. */
export function quotientRank(sum: bigint, count: number): bigint {
  const scaled = sum * 10n ** RANK_DIGITS;
  const divisor = BigInt(count);
  const quotient = scaled / divisor;
  // Division of bigints drops the fraction towards zero; ranks go down to the next whole number.
  return scaled % divisor < 0n ? quotient - 1n : quotient;
}
