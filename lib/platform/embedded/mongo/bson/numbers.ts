import { badValue } from "../errors.ts";
import { Decimal128, Double, double, isInt32, toDouble } from "./values.ts";

export type Numeric = number | bigint | Double | Decimal128;

const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

export function isDouble(value: Numeric): boolean {
  return value instanceof Double || (typeof value === "number" && !isInt32(value));
}

export function fitsLong(n: bigint): boolean {
  return n >= LONG_MIN && n <= LONG_MAX;
}

/** Returns an int64, or the nearest double when it does not fit. */
export function longOrDouble(n: bigint): Numeric {
  return fitsLong(n) ? n : double(Number(n));
}

/** @throws StoreError BadValue: nothing in scope computes with decimals */
export function refuseDecimals(...values: Numeric[]): void {
  if (values.some((value) => value instanceof Decimal128)) {
    throw badValue("Arithmetic with decimals is not supported by this store.");
  }
}

function whole(value: Numeric): bigint {
  return typeof value === "bigint" ? value : BigInt(toDouble(value));
}

/** Returns an int32 if both operands were and it fits, else an int64, or a double beyond int64. */
function integral(exact: bigint, areInts: boolean): Numeric {
  const n = Number(exact);
  return areInts && isInt32(n) ? n : longOrDouble(exact);
}

export function add(a: Numeric, b: Numeric): Numeric {
  refuseDecimals(a, b);
  if (isDouble(a) || isDouble(b)) return double(toDouble(a) + toDouble(b));
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    return isInt32(sum) ? sum : BigInt(sum);
  }
  return integral(whole(a) + whole(b), false);
}

export function subtract(a: Numeric, b: Numeric): Numeric {
  refuseDecimals(a, b);
  if (isDouble(a) || isDouble(b)) return double(toDouble(a) - toDouble(b));
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    return isInt32(difference) ? difference : BigInt(difference);
  }
  return integral(whole(a) - whole(b), false);
}

export function multiply(a: Numeric, b: Numeric): Numeric {
  refuseDecimals(a, b);
  if (isDouble(a) || isDouble(b)) return double(toDouble(a) * toDouble(b));
  return integral(whole(a) * whole(b), typeof a === "number" && typeof b === "number");
}

export function isZero(value: Numeric): boolean {
  return toDouble(value) === 0 && !(value instanceof Decimal128 && !/^-?0*(\.0*)?(E.*)?$/i.test(value.toString()));
}
