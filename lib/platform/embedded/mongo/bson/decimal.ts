import { Decimal128 } from "./values.ts";

/** A finite decimal: coefficient times ten to the exponent. */
export type Finite = { coefficient: bigint; exponent: number; isNegative: boolean };
export type Parsed = Finite | "NaN" | "Infinity" | "-Infinity";

/** Maximum digits of a Decimal128. */
const PRECISION = 34;
const BIAS = 6176;
const MAX_EXPONENT = 6111;
const MIN_EXPONENT = -6176;

/** Decodes the 128 bits (IEEE 754-2008, binary integer significand). */
export function parseDecimal(value: Decimal128): Parsed {
  const bytes = Buffer.from(value.bytes.buffer, value.bytes.byteOffset, 16);
  const low = bytes.readBigUInt64LE(0);
  const high = bytes.readBigUInt64LE(8);
  const isNegative = high >> 63n === 1n;
  const combination = Number((high >> 58n) & 0x1fn);
  if (combination === 0x1f) return "NaN";
  if (combination === 0x1e) return isNegative ? "-Infinity" : "Infinity";
  // A leading 11 means a significand above 2^113, which is not canonical and counts as zero.
  if (combination >> 3 === 3) {
    return { coefficient: 0n, exponent: Number((high >> 47n) & 0x3fffn) - BIAS, isNegative };
  }
  const coefficient = ((high & 0x1ffffffffffffn) << 64n) | low;
  const exponent = Number((high >> 49n) & 0x3fffn) - BIAS;
  return { coefficient: coefficient >= 10n ** 34n ? 0n : coefficient, exponent, isNegative };
}

/** Returns the nearest Decimal128, ties to even. Too large becomes infinite, too small zero. */
export function makeDecimal(coefficient: bigint, exponent: number, isNegative: boolean): Decimal128 {
  let digits = coefficient;
  let power = exponent;
  const excess = digits.toString().length - PRECISION;
  if (excess > 0) {
    digits = divideHalfEven(digits, 10n ** BigInt(excess));
    power += excess;
    if (digits >= 10n ** BigInt(PRECISION)) {
      digits /= 10n;
      power += 1;
    }
  }
  if (power < MIN_EXPONENT) {
    const cut = MIN_EXPONENT - power;
    digits = cut > PRECISION + 1 ? 0n : divideHalfEven(digits, 10n ** BigInt(cut));
    power = MIN_EXPONENT;
  }
  while (power > MAX_EXPONENT && digits !== 0n && digits < 10n ** BigInt(PRECISION - 1)) {
    digits *= 10n;
    power -= 1;
  }
  if (power > MAX_EXPONENT) {
    if (digits === 0n) power = MAX_EXPONENT;
    else return Decimal128.fromString(isNegative ? "-Infinity" : "Infinity");
  }
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(digits & 0xffffffffffffffffn, 0);
  bytes.writeBigUInt64LE((isNegative ? 1n << 63n : 0n) | (BigInt(power + BIAS) << 49n) | (digits >> 64n), 8);
  return new Decimal128(bytes);
}

/** Returns the decimal that equals a whole number. */
export function decimalOfBigInt(n: bigint): Decimal128 {
  return makeDecimal(n < 0n ? -n : n, 0, n < 0n);
}

/** Converts a double as MongoDB does: with 15 significant digits. */
export function decimalOfDouble(n: number): Decimal128 {
  if (Number.isNaN(n)) return Decimal128.fromString("NaN");
  if (!Number.isFinite(n)) return Decimal128.fromString(n > 0 ? "Infinity" : "-Infinity");
  if (n === 0) return makeDecimal(0n, 0, Object.is(n, -0));
  const [mantissa = "0", power = "0"] = Math.abs(n).toExponential(14).split("e");
  let coefficient = BigInt(mantissa.replace(".", ""));
  let exponent = Number(power) - 14;
  while (coefficient % 10n === 0n && exponent < 0) {
    coefficient /= 10n;
    exponent += 1;
  }
  return makeDecimal(coefficient, exponent, n < 0);
}

function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  if (twice > denominator || (twice === denominator && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}

const NAN = "NaN";

function signed(part: Finite): bigint {
  return part.isNegative ? -part.coefficient : part.coefficient;
}

export function addDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const x = parseDecimal(a);
  const y = parseDecimal(b);
  if (typeof x === "string" || typeof y === "string") {
    const special = typeof x === "string" && typeof y === "string" && x !== y ? NAN : typeof x === "string" ? x : y;
    return Decimal128.fromString(typeof special === "string" ? special : NAN);
  }
  const exponent = Math.min(x.exponent, y.exponent);
  const sum = signed(x) * 10n ** BigInt(x.exponent - exponent) + signed(y) * 10n ** BigInt(y.exponent - exponent);
  return makeDecimal(sum < 0n ? -sum : sum, exponent, sum < 0n);
}

export function negateDecimal(a: Decimal128): Decimal128 {
  const bytes = Buffer.from(a.bytes);
  bytes[15] = (bytes[15] as number) ^ 0x80;
  return new Decimal128(bytes);
}

export function multiplyDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const x = parseDecimal(a);
  const y = parseDecimal(b);
  if (x === NAN || y === NAN) return Decimal128.fromString(NAN);
  if (typeof x === "string" || typeof y === "string") {
    if ((typeof x !== "string" && x.coefficient === 0n) || (typeof y !== "string" && y.coefficient === 0n)) {
      return Decimal128.fromString(NAN);
    }
    return Decimal128.fromString(isBelowZero(x) === isBelowZero(y) ? "Infinity" : "-Infinity");
  }
  return makeDecimal(x.coefficient * y.coefficient, x.exponent + y.exponent, x.isNegative !== y.isNegative);
}

function isBelowZero(part: Parsed): boolean {
  return typeof part === "string" ? part === "-Infinity" : part.isNegative;
}

/** Divides. Division by zero gives an infinity or NaN, which the caller rejects where MongoDB does. */
export function divideDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const x = parseDecimal(a);
  const y = parseDecimal(b);
  if (x === NAN || y === NAN) return Decimal128.fromString(NAN);
  const isNegative = isBelowZero(x) !== isBelowZero(y);
  if (typeof x === "string") {
    return Decimal128.fromString(typeof y === "string" ? NAN : isNegative ? "-Infinity" : "Infinity");
  }
  if (typeof y === "string") return makeDecimal(0n, 0, isNegative);
  if (y.coefficient === 0n) {
    return Decimal128.fromString(x.coefficient === 0n ? NAN : isNegative ? "-Infinity" : "Infinity");
  }
  const shift = PRECISION + 1 + y.coefficient.toString().length;
  const scaled = x.coefficient * 10n ** BigInt(shift);
  let quotient = scaled / y.coefficient;
  let exponent = x.exponent - y.exponent - shift;
  // A sticky digit keeps the later rounding correct.
  if (scaled % y.coefficient !== 0n) {
    quotient = quotient * 10n + 1n;
    exponent -= 1;
  } else {
    const ideal = x.exponent - y.exponent;
    while (exponent < ideal && quotient % 10n === 0n && quotient !== 0n) {
      quotient /= 10n;
      exponent += 1;
    }
  }
  return makeDecimal(quotient, exponent, isNegative);
}

/** Truncates to a whole number; undefined for a decimal that is not finite. */
export function truncateToBigInt(a: Decimal128): bigint | undefined {
  const x = parseDecimal(a);
  if (typeof x === "string") return undefined;
  const whole =
    x.exponent >= 0
      ? x.coefficient * 10n ** BigInt(x.exponent)
      : -x.exponent > PRECISION
        ? 0n
        : x.coefficient / 10n ** BigInt(-x.exponent);
  return x.isNegative ? -whole : whole;
}
