import { isZero } from "../numbers.ts";
import { BsonUndefined, isNumber, type Value } from "../values.ts";

/** Aggregation's truth: false, null, undefined, missing and zero are false, everything else (NaN too) is true. */
export function isTrueInAggregation(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === false || value instanceof BsonUndefined) return false;
  return isNumber(value) ? !isZero(value) : true;
}

/** Null, undefined or missing. */
export function isNullish(value: Value | undefined): value is null | undefined | BsonUndefined {
  return value === undefined || value === null || value instanceof BsonUndefined;
}
