/** Maximum length of one copy instruction: three bytes, as git writes it. */
const COPY_BYTES_MAX = 0xffffff;
const INSERT_BYTES_MAX = 0x7f;
/** Offset and length of a copy have at most four bytes. */
const OFFSET_MAX = 0xffffffff;

/**
 * Returns a delta from `base` to `target` that consists of the common start, the new middle and the common end. A save
 * changes a folder's entries like this, and one comparison is cheaper than a search.
 */
export function middleDelta(base: Buffer, target: Buffer): Buffer {
  const { start, end } = commonEnds(base, target);
  const parts = [varint(base.length), varint(target.length)];
  addCopies(parts, 0, start);
  for (let at = start; at < target.length - end; at += INSERT_BYTES_MAX) {
    const piece = target.subarray(at, Math.min(at + INSERT_BYTES_MAX, target.length - end));
    parts.push(Buffer.of(piece.length), piece);
  }
  addCopies(parts, base.length - end, end);
  return Buffer.concat(parts);
}

/** Returns the number of equal bytes at the start of two buffers and, beyond these, at their end. */
export function commonEnds(a: Buffer, b: Buffer): { start: number; end: number } {
  const shorter = Math.min(a.length, b.length);
  const start = largest(shorter, (length) => a.compare(b, 0, length, 0, length) === 0);
  const end = largest(shorter - start, (length) => {
    const [fromA, fromB] = [a.length - length, b.length - length];
    return a.compare(b, fromB, b.length, fromA, a.length) === 0;
  });
  return { start, end };
}

/** Returns the sizes of the base and the result from a delta's header. Null if it is malformed. */
export function deltaSizes(delta: Buffer): { base: number; target: number; at: number } | null {
  const base = readVarint(delta, 0);
  const target = base && readVarint(delta, base.at);
  return base && target ? { base: base.value, target: target.value, at: target.at } : null;
}

/** Returns the result; null if the delta is malformed or does not fit its base. */
export function applyDelta(base: Buffer, delta: Buffer): Buffer | null {
  const sizes = deltaSizes(delta);
  if (!sizes || sizes.base !== base.length) return null;
  const target = Buffer.alloc(sizes.target);
  let written = 0;
  let { at } = sizes;
  while (at < delta.length) {
    const op = delta[at++] ?? 0;
    let from: Buffer;
    if (op & 0x80) {
      let offset = 0;
      let length = 0;
      for (let bit = 0; bit < 4; bit++) if (op & (1 << bit)) offset += (delta[at++] ?? 0) * 2 ** (8 * bit);
      for (let bit = 0; bit < 3; bit++) if (op & (0x10 << bit)) length += (delta[at++] ?? 0) * 2 ** (8 * bit);
      if (length === 0) length = 0x10000;
      if (at > delta.length || offset + length > base.length) return null;
      from = base.subarray(offset, offset + length);
    } else {
      if (op === 0 || at + op > delta.length) return null;
      from = delta.subarray(at, at + op);
      at += op;
    }
    if (written + from.length > target.length) return null;
    written += from.copy(target, written);
  }
  return written === target.length ? target : null;
}

/**
 * Returns the greatest length that fits, by bisection: comparing two long slices is far faster than going byte by byte.
 */
function largest(max: number, fits: (length: number) => boolean): number {
  let low = 0;
  let high = max;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function addCopies(parts: Buffer[], from: number, length: number): void {
  if (from + length > OFFSET_MAX) throw new Error("An object is too large for a delta.");
  for (let at = from, rest = length; rest > 0; ) {
    const size = Math.min(rest, COPY_BYTES_MAX);
    const bytes: number[] = [];
    let op = 0x80;
    for (let bit = 0; bit < 4; bit++) {
      const byte = Math.floor(at / 2 ** (8 * bit)) & 0xff;
      if (byte === 0) continue;
      op |= 1 << bit;
      bytes.push(byte);
    }
    for (let bit = 0; bit < 3; bit++) {
      const byte = (size >> (8 * bit)) & 0xff;
      if (byte === 0) continue;
      op |= 0x10 << bit;
      bytes.push(byte);
    }
    parts.push(Buffer.of(op, ...bytes));
    at += size;
    rest -= size;
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

function readVarint(bytes: Buffer, from: number): { value: number; at: number } | null {
  let value = 0;
  let factor = 1;
  for (let at = from; at < bytes.length && factor <= 2 ** 42; at++, factor *= 0x80) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, at: at + 1 };
  }
  return null;
}
