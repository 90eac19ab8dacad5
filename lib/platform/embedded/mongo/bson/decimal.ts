import type { Decimal128 } from "./values.ts";

/** A finite decimal: coefficient times ten to the exponent. */
export type Finite = { coefficient: bigint; exponent: number; isNegative: boolean };
type Parsed = Finite | "NaN" | "Infinity" | "-Infinity";

const BIAS = 6176;

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
