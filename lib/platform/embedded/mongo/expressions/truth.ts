import { isZero } from "../bson/numbers.ts";
import { isNumber, type Value } from "../bson/values.ts";

/**
 * Returns the truth of a value in aggregations: false, null, undefined, missing and zero are false, all else (NaN too)
 * is true.
 */
export function isTrueInAggregation(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === false) return false;
  return isNumber(value) ? !isZero(value) : true;
}

/** Returns true for null, undefined and missing. */
export function isNullish(value: Value | undefined): value is null | undefined {
  return value === undefined || value === null;
}
