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

/** Rounded half away from zero; a number where the numbers that were summed up are whole. Null of nothing. */
export function divide(sum: WireValue, count: number, isDecimal: boolean): WireValue {
  if (sum === null || count === 0) return null;
  const text = String(sum);
  const scale = text.includes(".") ? text.length - text.indexOf(".") - 1 : 0;
  const { average } = sumNumberTexts([text], scale + QUOTIENT_DIGITS, count) ?? { average: null };
  return isDecimal || average === null ? average : Number(average);
}
