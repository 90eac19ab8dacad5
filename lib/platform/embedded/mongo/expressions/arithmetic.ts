import { compareValues } from "../bson/compare.ts";
import { divideDecimals, negateDecimal, parseDecimal, quantizeDecimal, truncateToBigInt } from "../bson/decimal.ts";
import {
  add,
  isDouble,
  isZero,
  longOrDouble,
  multiply,
  type Numeric,
  remainder,
  subtract,
  toDecimal,
} from "../bson/numbers.ts";
import {
  Decimal128,
  double,
  isInt32,
  isNumber,
  toDouble,
  toWholeNumber,
  typeName,
  type Value,
} from "../bson/values.ts";
import { badValue, StoreError, typeMismatch } from "../errors.ts";
import { type Argument, fixed, ranged, variadic } from "./arguments.ts";
import type { Operator } from "./scope.ts";
import { isNullish } from "./truth.ts";

/** Creates an operator from one number to another; null gives null. */
function unary(name: string, apply: (n: Numeric) => Value): [string, Operator] {
  return [
    name,
    fixed(1, (value) => {
      if (isNullish(value)) return null;
      if (!isNumber(value)) throw new StoreError(28765, `${name} only supports numeric types, not ${typeName(value)}`);
      return apply(value);
    }),
  ];
}

/** Creates an operator on doubles. Decimals are computed as doubles and returned as decimals. */
function real(name: string, apply: (n: number) => number, domain?: (n: number) => boolean): [string, Operator] {
  return unary(name, (value) => {
    const n = toDouble(value);
    if (domain !== undefined && !Number.isNaN(n) && !domain(n)) {
      throw new StoreError(50989, `cannot apply ${name} to ${n}, value is outside of its domain`);
    }
    return like(value, apply(n));
  });
}

function like(value: Numeric, n: number): Value {
  return value instanceof Decimal128 ? toDecimal(double(n)) : double(n);
}

function addAll(values: Argument[]): Value {
  let total: Numeric = 0;
  let date: number | undefined;
  for (const value of values) {
    if (isNullish(value)) return null;
    if (value instanceof Date) {
      if (date !== undefined) throw badValue("only one date allowed in an $add expression");
      date = value.getTime();
    } else if (isNumber(value)) total = add(total, value);
    else throw typeMismatch(`$add only supports numeric or date types, not ${typeName(value)}`);
  }
  if (date === undefined) return total;
  return makeDate(date + Math.round(toDouble(total)));
}

export function makeDate(ms: number): Date {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) throw new StoreError("Overflow", "date overflow");
  return date;
}

function subtractTwo(a: Argument, b: Argument): Value {
  if (isNullish(a) || isNullish(b)) return null;
  if (a instanceof Date) {
    if (b instanceof Date) return BigInt(a.getTime() - b.getTime());
    if (isNumber(b)) return makeDate(a.getTime() - Math.round(toDouble(b)));
  } else if (isNumber(a) && isNumber(b)) return subtract(a, b);
  throw typeMismatch(`can't $subtract ${typeName(b)} from ${typeName(a)}`);
}

function divideTwo(a: Argument, b: Argument): Value {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a) || !isNumber(b)) {
    throw typeMismatch(`$divide only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
  }
  if (isZero(b)) throw badValue("can't $divide by zero");
  if (a instanceof Decimal128 || b instanceof Decimal128) return divideDecimals(toDecimal(a), toDecimal(b));
  return double(toDouble(a) / toDouble(b));
}

function modTwo(a: Argument, b: Argument): Value {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a) || !isNumber(b)) {
    throw new StoreError(16611, `$mod only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
  }
  if (isZero(b)) throw new StoreError(16610, "can't $mod by zero");
  return remainder(a, b);
}

function powTwo(base: Argument, exponent: Argument): Value {
  if (isNullish(base) || isNullish(exponent)) return null;
  if (!isNumber(base)) throw new StoreError(28762, `$pow's base must be numeric, not ${typeName(base)}`);
  if (!isNumber(exponent)) throw new StoreError(28763, `$pow's exponent must be numeric, not ${typeName(exponent)}`);
  if (isZero(base) && toDouble(exponent) < 0)
    throw new StoreError(28764, "$pow cannot take a base of 0 and a negative exponent");
  const areWhole = (n: Numeric) => !isDouble(n) && !(n instanceof Decimal128);
  if (areWhole(base) && areWhole(exponent) && toDouble(exponent) >= 0 && toDouble(exponent) < 64) {
    const exact = BigInt(toDouble(base)) ** BigInt(toDouble(exponent));
    const n = Number(exact);
    return typeof base === "number" && typeof exponent === "number" && isInt32(n) ? n : longOrDouble(exact);
  }
  const n = toDouble(base) ** toDouble(exponent);
  return base instanceof Decimal128 || exponent instanceof Decimal128 ? toDecimal(double(n)) : double(n);
}

function rounding(name: "$round" | "$trunc"): Operator {
  return ranged(1, 2, ([value, digits]) => {
    if (isNullish(value) || (digits !== undefined && isNullish(digits))) return null;
    if (!isNumber(value)) throw new StoreError(51081, `${name} only supports numeric types, not ${typeName(value)}`);
    const places = digits === undefined ? 0 : toWholeNumber(digits);
    if (places === undefined) throw new StoreError(51082, `precision argument to ${name} must be a integral value`);
    if (places < -20 || places > 100)
      throw new StoreError(51083, `cannot apply ${name} with precision value ${places} value must be in [-20, 100]`);
    const mode = name === "$round" ? "halfEven" : "down";
    if (value instanceof Decimal128) return quantizeDecimal(value, places, mode);
    if (isDouble(value)) {
      const n = toDouble(value);
      if (!Number.isFinite(n)) return value;
      if (places === 0 && name === "$trunc") return double(Math.trunc(n));
      // The double's exact digits decide a tie: 2.675 is slightly below and is rounded down.
      const exact = Decimal128.fromStringWithRounding(exactDigits(n));
      return double(toDouble(quantizeDecimal(exact, places, mode)));
    }
    if (places >= 0) return value;
    const rounded = truncateToBigInt(quantizeDecimal(toDecimal(value), places, mode)) ?? 0n;
    return typeof value === "number" && isInt32(Number(rounded)) ? Number(rounded) : longOrDouble(rounded);
  });
}

function exactDigits(n: number): string {
  return n.toPrecision(34);
}

function ceilOrFloor(name: "$ceil" | "$floor"): [string, Operator] {
  return unary(name, (value) => {
    if (value instanceof Decimal128) return quantizeDecimal(value, 0, name === "$ceil" ? "ceiling" : "floor");
    if (!isDouble(value)) return value;
    return double(name === "$ceil" ? Math.ceil(toDouble(value)) : Math.floor(toDouble(value)));
  });
}

function absolute(value: Numeric): Value {
  if (value instanceof Decimal128) {
    const parsed = parseDecimal(value);
    const isNegative = typeof parsed === "string" ? parsed === "-Infinity" : parsed.isNegative;
    return isNegative ? negateDecimal(value) : value;
  }
  if (compareValues(value, 0) >= 0) return value;
  if (typeof value === "bigint" && value === -(2n ** 63n))
    throw new StoreError(28680, "can't take $abs of long long min");
  return subtract(0, value);
}

const isPositive = (n: number) => n > 0;
const isWithinOne = (n: number) => n >= -1 && n <= 1;

function bitwise(name: string, start: bigint, apply: (a: bigint, b: bigint) => bigint): [string, Operator] {
  return [
    name,
    variadic((values) => {
      let result = start;
      let isLong = false;
      for (const value of values) {
        if (isNullish(value)) return null;
        if (typeof value === "bigint") isLong = true;
        else if (typeof value !== "number" || !isInt32(value)) {
          throw typeMismatch(`${name} only supports int and long operands.`);
        }
        result = apply(result, BigInt(value));
      }
      return isLong ? BigInt.asIntN(64, result) : Number(BigInt.asIntN(32, result));
    }),
  ];
}

export const arithmeticOperators: [string, Operator][] = [
  ["$add", variadic(addAll)],
  ["$subtract", fixed(2, subtractTwo)],
  [
    "$multiply",
    variadic((values) => {
      let product: Numeric = 1;
      for (const value of values) {
        if (isNullish(value)) return null;
        if (!isNumber(value)) throw typeMismatch(`$multiply only supports numeric types, not ${typeName(value)}`);
        product = multiply(product, value);
      }
      return product;
    }),
  ],
  ["$divide", fixed(2, divideTwo)],
  ["$mod", fixed(2, modTwo)],
  ["$pow", fixed(2, powTwo)],
  ["$round", rounding("$round")],
  ["$trunc", rounding("$trunc")],
  ceilOrFloor("$ceil"),
  ceilOrFloor("$floor"),
  unary("$abs", absolute),
  real("$sqrt", Math.sqrt, (n) => n >= 0),
  real("$exp", Math.exp),
  real("$ln", Math.log, isPositive),
  real("$log10", Math.log10, isPositive),
  [
    "$log",
    fixed(2, (value, base) => {
      if (isNullish(value) || isNullish(base)) return null;
      if (!isNumber(value)) throw new StoreError(28756, `$log's argument must be numeric, not ${typeName(value)}`);
      if (!isNumber(base)) throw new StoreError(28757, `$log's base must be numeric, not ${typeName(base)}`);
      if (!(toDouble(value) > 0))
        throw new StoreError(28758, `$log's argument must be a positive number, but is ${toDouble(value)}`);
      if (!(toDouble(base) > 0) || toDouble(base) === 1)
        throw new StoreError(28759, `$log's base must be a positive number not equal to 1, but is ${toDouble(base)}`);
      return like(value, Math.log(toDouble(value)) / Math.log(toDouble(base)));
    }),
  ],
  real("$sin", Math.sin, Number.isFinite),
  real("$cos", Math.cos, Number.isFinite),
  real("$tan", Math.tan, Number.isFinite),
  real("$asin", Math.asin, isWithinOne),
  real("$acos", Math.acos, isWithinOne),
  real("$atan", Math.atan),
  real("$sinh", Math.sinh),
  real("$cosh", Math.cosh),
  real("$tanh", Math.tanh),
  real("$asinh", Math.asinh),
  real("$acosh", Math.acosh, (n) => n >= 1),
  real("$atanh", Math.atanh, isWithinOne),
  real("$degreesToRadians", (n) => (n * Math.PI) / 180),
  real("$radiansToDegrees", (n) => (n * 180) / Math.PI),
  [
    "$atan2",
    fixed(2, (y, x) => {
      if (isNullish(y) || isNullish(x)) return null;
      if (!isNumber(y) || !isNumber(x)) throw typeMismatch("$atan2 only supports numeric types");
      return x instanceof Decimal128
        ? like(x, Math.atan2(toDouble(y), toDouble(x)))
        : like(y, Math.atan2(toDouble(y), toDouble(x)));
    }),
  ],
  bitwise("$bitAnd", -1n, (a, b) => a & b),
  bitwise("$bitOr", 0n, (a, b) => a | b),
  bitwise("$bitXor", 0n, (a, b) => a ^ b),
  [
    "$bitNot",
    fixed(1, (value) => {
      if (isNullish(value)) return null;
      if (typeof value === "bigint") return ~value;
      if (typeof value === "number" && isInt32(value)) return ~value;
      throw typeMismatch("$bitNot only supports int and long operands.");
    }),
  ],
];
