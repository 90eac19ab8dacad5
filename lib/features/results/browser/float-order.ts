const DIGIT_BITS = 16;
const BUCKETS = 1 << DIGIT_BITS;
/** For fewer keys, comparing is faster than a radix sort. */
const COUNTED_MIN = 20_000;
const SIGN = 0x80000000;

/**
 * Returns the indexes of numbers in ascending order, stable. A radix sort of a million takes a tenth of the time of
 * comparing them.
 * @param keys without NaN
 */
export function orderOf(keys: Float64Array): Uint32Array {
  const order = new Uint32Array(keys.length);
  for (let i = 0; i < order.length; i += 1) order[i] = i;
  if (keys.length < COUNTED_MIN) {
    return order.sort((a, b) => {
      const x = keys[a] ?? 0;
      const y = keys[b] ?? 0;
      return x < y ? -1 : x > y ? 1 : 0;
    });
  }
  // 0 and -0 are equal, but differ in their bits.
  const bits = new Uint32Array(Float64Array.from(keys, (key) => key + 0).buffer);
  const low = new Uint32Array(keys.length);
  const high = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i += 1) {
    const upper = bits[2 * i + 1] ?? 0;
    const lower = bits[2 * i] ?? 0;
    // Map the bits so that all numbers, including negative ones, sort as unsigned integers.
    const isNegative = upper >= SIGN;
    low[i] = isNegative ? ~lower : lower;
    high[i] = isNegative ? ~upper : upper ^ SIGN;
  }
  const spare = new Uint32Array(keys.length);
  const counts = new Uint32Array(BUCKETS);
  pass(low, 0, order, spare, counts);
  pass(low, DIGIT_BITS, spare, order, counts);
  pass(high, 0, order, spare, counts);
  pass(high, DIGIT_BITS, spare, order, counts);
  return order;
}

/** Sorts indexes by one digit of their keys. */
function pass(keys: Uint32Array, shift: number, from: Uint32Array, to: Uint32Array, counts: Uint32Array): void {
  counts.fill(0);
  for (const place of from) {
    const digit = ((keys[place] ?? 0) >>> shift) & (BUCKETS - 1);
    counts[digit] = (counts[digit] ?? 0) + 1;
  }
  let sum = 0;
  for (let digit = 0; digit < BUCKETS; digit += 1) {
    const count = counts[digit] ?? 0;
    counts[digit] = sum;
    sum += count;
  }
  for (const place of from) {
    const digit = ((keys[place] ?? 0) >>> shift) & (BUCKETS - 1);
    const at = counts[digit] ?? 0;
    to[at] = place;
    counts[digit] = at + 1;
  }
}
