/** Largest integer up to which a 32-bit float holds every integer. */
const INTEGER_MAX = 2 ** 24;
/** Smallest normal 32-bit float; smaller ones have fewer digits. */
const NORMAL_MIN = 2 ** -126;
/** Digits that any normal 32-bit float preserves, and digits that distinguish each from its neighbours. */
const DIGITS = { kept: 6, enough: 9 };

/** Returns the number with the fewest digits that reads back as the same 32-bit float: 0.1, not 0.10000000149011612. */
export function shortestFloat32(value: number): number {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || (size <= INTEGER_MAX && Number.isInteger(value))) return value;
  for (let digits = size < NORMAL_MIN ? 1 : DIGITS.kept; digits < DIGITS.enough; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(DIGITS.enough));
}
