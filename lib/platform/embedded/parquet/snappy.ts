/*
 * Compresses in Snappy's format (https://github.com/google/snappy/blob/main/format_description.txt). The compressor of
 * hyparquet-writer calls a function for each byte and takes three times as long.
 */

/** Size of a block: an offset within it takes two bytes. */
const BLOCK_BYTES = 64 * 1024;
const HASH_BITS = 14;
const HASH_FACTOR = 0x1e35a7bd;
const MATCH_BYTES_MIN = 4;
/** Bytes at the end of a block in which no match starts, so that four bytes can be read at once. */
const END_BYTES = 15;
const COPY_BYTES_MAX = 64;
const SHORT_LITERAL_MAX = 60;
/** Number of misses after which the search takes a larger step: random bytes are hardly searched. */
const MISSES_PER_STEP_BITS = 5;
/** Tags of elements. */
const [LITERAL_1_BYTE, LITERAL_2_BYTES, COPY_2_BYTES] = [60 << 2, 61 << 2, 2];

/** Positions in the current block by the hash of four bytes. */
const table = new Uint16Array(1 << HASH_BITS);

/** Returns the compressed bytes. */
export function snappy(input: Uint8Array): Uint8Array {
  const blocks = Math.ceil(input.length / BLOCK_BYTES);
  const out = new Uint8Array(input.length + Math.ceil(input.length / 6) + (blocks + 1) * 32);
  let at = 0;
  let left = input.length;
  for (; left > 0x7f; left >>>= 7) out[at++] = (left & 0x7f) | 0x80;
  out[at++] = left;
  for (let start = 0; start < input.length; start += BLOCK_BYTES) {
    at = compressBlock(input, start, Math.min(start + BLOCK_BYTES, input.length), out, at);
  }
  return out.subarray(0, at);
}

/** @returns the end of the output */
function compressBlock(input: Uint8Array, start: number, end: number, out: Uint8Array, outAt: number): number {
  table.fill(0);
  let to = outAt;
  let literal = start;
  let misses = 1 << MISSES_PER_STEP_BITS;
  const limit = end - END_BYTES;
  for (let at = start + 1; at < limit; ) {
    const four = fourAt(input, at);
    const hash = Math.imul(four, HASH_FACTOR) >>> (32 - HASH_BITS);
    const candidate = start + (table[hash] as number);
    table[hash] = at - start;
    if (fourAt(input, candidate) !== four) {
      at += misses >>> MISSES_PER_STEP_BITS;
      misses += 1;
      continue;
    }
    to = writeLiteral(input, literal, at, out, to);
    let length = MATCH_BYTES_MIN;
    while (at + length < end && input[candidate + length] === input[at + length]) length += 1;
    to = writeCopies(at - candidate, length, out, to);
    at += length;
    literal = at;
    misses = 1 << MISSES_PER_STEP_BITS;
  }
  return writeLiteral(input, literal, end, out, to);
}

function fourAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

function writeLiteral(input: Uint8Array, from: number, end: number, out: Uint8Array, outAt: number): number {
  const length = end - from;
  let to = outAt;
  if (length === 0) return to;
  if (length <= SHORT_LITERAL_MAX) out[to++] = (length - 1) << 2;
  else if (length <= 0x100) {
    out[to++] = LITERAL_1_BYTE;
    out[to++] = length - 1;
  } else {
    out[to++] = LITERAL_2_BYTES;
    out[to++] = (length - 1) & 0xff;
    out[to++] = (length - 1) >>> 8;
  }
  if (length > COPY_BYTES_MAX) out.set(input.subarray(from, end), to);
  else for (let index = 0; index < length; index += 1) out[to + index] = input[from + index] as number;
  return to + length;
}

function writeCopies(offset: number, length: number, out: Uint8Array, outAt: number): number {
  let to = outAt;
  for (let left = length; left > 0; ) {
    const count = Math.min(left, COPY_BYTES_MAX);
    out[to++] = ((count - 1) << 2) | COPY_2_BYTES;
    out[to++] = offset & 0xff;
    out[to++] = offset >>> 8;
    left -= count;
  }
  return to;
}
