import { truncateToBigInt } from "../bson/decimal.ts";
import { fitsLong, isDouble, isZero, toDecimal } from "../bson/numbers.ts";
import {
  Binary,
  Decimal128,
  double,
  isInt32,
  isNumber,
  ObjectId,
  Timestamp,
  TYPE,
  toDouble,
  toWholeNumber,
  typeName,
  typeNameOfCode,
  type Value,
} from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { checkNames, fixed, requireDoc } from "./arguments.ts";
import { makeDate } from "./arithmetic.ts";
import { parseDate } from "./date-text.ts";
import type { Operator } from "./scope.ts";
import { isNullish } from "./truth.ts";

type Target = "double" | "string" | "objectId" | "bool" | "date" | "int" | "long" | "decimal";
const TARGETS: readonly string[] = ["double", "string", "objectId", "bool", "date", "int", "long", "decimal"];

function failure(message: string): StoreError {
  return new StoreError("ConversionFailure", message);
}

function unsupported(value: Value, to: Target): StoreError {
  return failure(`Unsupported conversion from ${typeName(value)} to ${to} in $convert with no onError value`);
}

/** @throws StoreError ConversionFailure (241) */
export function convert(value: Value, to: Target): Value {
  switch (to) {
    case "bool":
      return toBool(value);
    case "string":
      return toText(value);
    case "int":
      return toInt(value);
    case "long":
      return toLong(value);
    case "double":
      return toReal(value);
    case "decimal":
      return toExact(value);
    case "date":
      return toDate(value);
    case "objectId":
      if (value instanceof ObjectId) return value;
      if (typeof value !== "string") throw unsupported(value, to);
      if (!/^[0-9a-fA-F]{24}$/.test(value))
        throw failure(`Failed to parse objectId '${value}' in $convert with no onError value`);
      return ObjectId.createFromHexString(value);
  }
}

function toBool(value: Value): Value {
  if (typeof value === "boolean") return value;
  return isNumber(value) ? !isZero(value) : true;
}

function toText(value: Value): Value {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "true" : "false";
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Decimal128) return value.toString();
  if (typeof value === "bigint") return value.toString();
  if (isNumber(value)) return formatDouble(toDouble(value));
  // As MongoDB 8.0 does.
  if (value instanceof Binary) {
    const isUuid = value.sub_type === Binary.SUBTYPE_UUID;
    return isUuid ? value.toUUID().toString() : Buffer.from(value.value()).toString("base64");
  }
  throw unsupported(value, "string");
}

function formatDouble(n: number): string {
  if (Number.isNaN(n)) return "NaN";
  if (!Number.isFinite(n)) return n > 0 ? "Infinity" : "-Infinity";
  return Object.is(n, -0) ? "-0" : String(n);
}

const NUMERIC_TEXT = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

function parseWhole(value: string, to: Target): bigint {
  if (!/^[+-]?\d+$/.test(value))
    throw failure(`Failed to parse number '${value}' in $convert with no onError value: Bad digit for ${to}`);
  return BigInt(value);
}

function wholePart(value: Value, to: Target): bigint {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "string") return parseWhole(value, to);
  if (!isNumber(value)) throw unsupported(value, to);
  if (typeof value === "bigint") return value;
  if (value instanceof Decimal128) {
    const whole = truncateToBigInt(value);
    if (whole === undefined)
      throw failure("Attempt to convert NaN or infinity value to integer type in $convert with no onError value");
    return whole;
  }
  const n = toDouble(value);
  if (!Number.isFinite(n))
    throw failure("Attempt to convert NaN or infinity value to integer type in $convert with no onError value");
  return BigInt(Math.trunc(n));
}

function overflow(): StoreError {
  return failure("Conversion would overflow target type in $convert with no onError value");
}

function toInt(value: Value): Value {
  const n = Number(wholePart(value, "int")) + 0;
  if (!isInt32(n)) throw overflow();
  return n;
}

function toLong(value: Value): Value {
  const n = value instanceof Date ? BigInt(value.getTime()) : wholePart(value, "long");
  if (!fitsLong(n)) throw overflow();
  return n;
}

function toReal(value: Value): Value {
  if (typeof value === "boolean") return double(value ? 1 : 0);
  if (value instanceof Date) return double(value.getTime());
  if (typeof value === "string") {
    if (!NUMERIC_TEXT.test(value) && !/^[+-]?(nan|inf(inity)?)$/i.test(value)) {
      throw failure(
        `Failed to parse number '${value}' in $convert with no onError value: Did not consume whole string.`,
      );
    }
    return double(
      /nan|inf/i.test(value)
        ? Number(
            value
              .toLowerCase()
              .replace(/inf(inity)?/, "Infinity")
              .replace("nan", "NaN"),
          )
        : Number(value),
    );
  }
  if (!isNumber(value)) throw unsupported(value, "double");
  const n = toDouble(value);
  if (value instanceof Decimal128 && !Number.isFinite(n) && /\d/.test(value.toString())) throw overflow();
  return double(n);
}

function toExact(value: Value): Value {
  if (typeof value === "boolean") return toDecimal(value ? 1 : 0);
  if (value instanceof Date) return toDecimal(BigInt(value.getTime()));
  if (typeof value === "string") {
    try {
      return Decimal128.fromStringWithRounding(value);
    } catch (cause) {
      throw new StoreError("ConversionFailure", `Failed to parse number '${value}' in $convert with no onError value`, {
        cause,
      });
    }
  }
  if (!isNumber(value)) throw unsupported(value, "decimal");
  return toDecimal(value);
}

function toDate(value: Value): Value {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (value instanceof Timestamp) return new Date((value.t >>> 0) * 1000);
  if (typeof value === "string") return parseDate(value, undefined);
  if (isNumber(value) && (typeof value === "bigint" || value instanceof Decimal128 || isDouble(value))) {
    return makeDate(Number(wholePart(value, "date")));
  }
  throw unsupported(value, "date");
}

function targetOf(value: Value | undefined): Target {
  if (typeof value === "string" && TARGETS.includes(value)) return value as Target;
  const code = isNumber(value) ? toWholeNumber(value) : undefined;
  const name = code === undefined ? undefined : typeNameOfCode(code);
  if (name !== undefined && TARGETS.includes(name)) return name as Target;
  if (typeof value === "string" && !(value in TYPE)) throw new StoreError("BadValue", `Unknown type name: ${value}`);
  throw new StoreError(
    "ConversionFailure",
    `Unsupported conversion to ${String(value)} in $convert with no onError value`,
  );
}

const convertOperator: Operator = (argument, compile, name) => {
  const doc = requireDoc(name, argument);
  checkNames(name, doc, ["input", "to", "onError", "onNull", "format"]);
  if (doc.has("format")) throw new StoreError("FailedToParse", "$convert found an unknown argument: format");
  const [inputOf, toOf, onErrorOf, onNullOf] = ["input", "to", "onError", "onNull"].map((key) => {
    const value = doc.get(key);
    return value === undefined ? undefined : compile(value);
  });
  if (inputOf === undefined) throw new StoreError("FailedToParse", "Missing 'input' parameter to $convert");
  if (toOf === undefined) throw new StoreError("FailedToParse", "Missing 'to' parameter to $convert");
  return (env) => {
    const value = inputOf(env);
    if (isNullish(value)) return onNullOf === undefined ? null : onNullOf(env);
    const to = toOf(env);
    if (isNullish(to)) return null;
    const target = targetOf(to);
    try {
      return convert(value, target);
    } catch (error) {
      if (onErrorOf === undefined || !(error instanceof StoreError)) throw error;
      return onErrorOf(env);
    }
  };
};

function shorthand(name: string, target: Target): [string, Operator] {
  return [name, fixed(1, (value) => (isNullish(value) ? null : convert(value, target)))];
}

export const conversionOperators: [string, Operator][] = [
  ["$convert", convertOperator],
  shorthand("$toBool", "bool"),
  shorthand("$toString", "string"),
  shorthand("$toInt", "int"),
  shorthand("$toLong", "long"),
  shorthand("$toDouble", "double"),
  shorthand("$toDecimal", "decimal"),
  shorthand("$toDate", "date"),
  shorthand("$toObjectId", "objectId"),
  ["$type", fixed(1, (value) => typeName(value))],
];
