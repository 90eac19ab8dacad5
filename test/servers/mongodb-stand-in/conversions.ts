import { isDouble } from "../../../lib/platform/embedded/mongo/bson/numbers.ts";
import {
  Binary,
  Decimal128,
  isNumber,
  ObjectId,
  Timestamp,
  TYPE,
  toDouble,
  typeName,
  type Value,
} from "../../../lib/platform/embedded/mongo/bson/values.ts";
import { badValue, StoreError } from "../../../lib/platform/embedded/mongo/errors.ts";
import { fixed } from "../../../lib/platform/embedded/mongo/expressions/arguments.ts";
import { makeDate } from "../../../lib/platform/embedded/mongo/expressions/arithmetic.ts";
import type { Operator } from "../../../lib/platform/embedded/mongo/expressions/scope.ts";
import { isNullish } from "../../../lib/platform/embedded/mongo/expressions/truth.ts";
import { parseDate } from "./dates.ts";
import { named } from "./named-arguments.ts";

function unsupported(value: Value, to: string): StoreError {
  return new StoreError(
    "ConversionFailure",
    `Unsupported conversion from ${typeName(value)} to ${to} in $convert with no onError value`,
  );
}

function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "true" : "false";
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Decimal128) return value.toString();
  if (typeof value === "bigint") return value.toString();
  if (isNumber(value)) {
    const n = toDouble(value);
    return Object.is(n, -0) ? "-0" : String(n);
  }
  // As MongoDB 8.0 does.
  if (value instanceof Binary) {
    const isUuid = value.sub_type === Binary.SUBTYPE_UUID;
    return isUuid ? value.toUUID().toString() : Buffer.from(value.value()).toString("base64");
  }
  throw unsupported(value, "string");
}

function toDate(value: Value): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (value instanceof Timestamp) return new Date((value.t >>> 0) * 1000);
  if (typeof value === "string") return parseDate(value);
  if (typeof value === "bigint") return makeDate(Number(value));
  if (isNumber(value) && isDouble(value)) return makeDate(Math.trunc(toDouble(value)));
  throw unsupported(value, "date");
}

/** Types that values are converted to. */
const TARGETS = new Map<Value | undefined, (value: Value) => Value>([
  ["string", toText],
  ["date", toDate],
]);

const convert: Operator = (argument, compile, name) => {
  const parts = named(name, argument, compile, ["input", "to"], ["onError", "onNull"]);
  return (env) => {
    const value = parts.input(env);
    if (isNullish(value)) return parts.onNull === undefined ? null : parts.onNull(env);
    const to = parts.to(env);
    if (isNullish(to)) return null;
    const apply = TARGETS.get(to);
    if (apply === undefined) {
      const isType = typeof to === "string" && to in TYPE;
      throw badValue(isType ? `$convert to ${to} is not supported by this store.` : `Unknown type name: ${String(to)}`);
    }
    try {
      return apply(value);
    } catch (error) {
      if (parts.onError === undefined || !(error instanceof StoreError)) throw error;
      return parts.onError(env);
    }
  };
};

function shorthand(apply: (value: Value) => Value): Operator {
  return fixed(1, (value) => (isNullish(value) ? null : apply(value)));
}

export const conversionOperators: [string, Operator][] = [
  ["$convert", convert],
  ["$toString", shorthand(toText)],
  ["$toDate", shorthand(toDate)],
];
