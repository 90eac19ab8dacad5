import { sumNumberTexts, toScaled } from "@/lib/base/values/exact-number";
import type { WireValue } from "@/lib/base/values/fields";

/** Decimal places of an average of decimals, in addition to those of the numbers. */
const QUOTIENT_DIGITS = 6;
/** Significant digits of an average below 1, which six decimal places may not show. A double holds 15. */
const SIGNIFICANT_DIGITS = { whole: 15, decimal: 6 };

/** Returns an int64 as a number if that is exact (docs/develop/api.md, Queries). */
export function toWhole(value: WireValue): WireValue {
  if (value === null) return null;
  const whole = Number(value);
  return Number.isSafeInteger(whole) ? whole : String(value);
}

/**
 * Returns a sum divided by a count, rounded half away from zero; null for a count of 0. It has six decimal places in
 * addition to those of the sum; below 1 at least 15 significant digits for whole numbers and six for decimals. The
 * average of decimals is text. That of whole numbers is a number if that number is exact, else text, like an int64.
 */
export function divide(sum: WireValue, count: number, isDecimal: boolean): WireValue {
  if (sum === null || count === 0) return null;
  const text = String(sum);
  const scale = text.includes(".") ? text.length - text.indexOf(".") - 1 : 0;
  const zeros = leadingZeros(text, count);
  const digits = Math.max(
    scale + QUOTIENT_DIGITS,
    zeros === null ? 0 : zeros + SIGNIFICANT_DIGITS[isDecimal ? "decimal" : "whole"],
  );
  const { average } = sumNumberTexts([text], digits, count) ?? { average: null };
  if (isDecimal || average === null) return average;
  const plain = average.replace(/\.?0+$/, "");
  return zeros !== null || String(Number(plain)) === plain ? Number(plain) : plain;
}

/** Returns the number of zeros between the point and the first digit of a quotient; null for 0, and from 1 on. */
function leadingZeros(sum: string, count: number): number | null {
  const number = toScaled(sum);
  if (number === null || number.value === 0n) return null;
  const dividend = number.value < 0n ? -number.value : number.value;
  const divisor = BigInt(count) * 10n ** BigInt(number.scale);
  if (dividend >= divisor) return null;
  const places = String(divisor).length - String(dividend).length;
  return dividend * 10n ** BigInt(places) >= divisor ? places - 1 : places;
}

/**
 * Digits that distinguish quotients of whole numbers: for a million rows two of them differ by at least one part in
 * 10^12.
 */
const RANK_DIGITS = 13n;

/** Returns a rank that is greater for a greater quotient, and equal for equal ones. */
export function quotientRank(sum: bigint, count: number): bigint {
  const scaled = sum * 10n ** RANK_DIGITS;
  const divisor = BigInt(count);
  const quotient = scaled / divisor;
  // Division of bigints truncates towards zero; ranks round down.
  return scaled % divisor < 0n ? quotient - 1n : quotient;
}
