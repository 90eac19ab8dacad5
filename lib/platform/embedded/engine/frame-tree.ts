/**
 * Maximum number of values of a frame, including those in lists and objects. They take some 200 MB in memory, in the
 * server too. Ordinary frames hold a mebibyte of values; larger ones have a list in a cell.
 */
export const FRAME_VALUES_MAX = 4_000_000;
/** Maximum nesting: the parser recurses once per level. */
export const FRAME_DEPTH_MAX = 1_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Rejects JSON that would expand beyond its reader's memory. A thread that runs out of memory ends the whole process,
 * even with limits.
 * @throws RangeError
 */
export function refuseLargeTree(bytes: Uint8Array): void {
  let [values, depth, isText] = [0, 0, false];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === COMMA) values += 1;
    else if (OPENING.has(byte)) {
      values += 1;
      depth += 1;
      if (depth > FRAME_DEPTH_MAX) throw new RangeError("The frame is nested too deep.");
    } else if (CLOSING.has(byte)) depth -= 1;
    if (values > FRAME_VALUES_MAX) throw new RangeError("The frame has too many values.");
  }
}
