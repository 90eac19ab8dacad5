import { parseLargeJson } from "@/lib/base/values/large-json";

/**
 * Maximum number of values of a frame, including those in lists and objects. They take some 200 MB in memory. Ordinary frames hold a mebibyte of values; larger ones have a list in a cell.
 */
export const FRAME_VALUES_MAX = 4_000_000;
/** Maximum nesting: the parser recurses once per level. */
export const FRAME_DEPTH_MAX = 1_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Bytes that are scanned between two calls of `rest`: about a millisecond. */
const SCAN_BYTES = 512 * 1024;

/**
 * Parses a large frame in slices.
 * @param rest called between slices
 * @throws RangeError for JSON that would expand beyond the server's memory; SyntaxError
 */
export async function parseLargeFrame(bytes: Buffer, rest: () => Promise<void>): Promise<unknown> {
  const scan = new TreeScan();
  for (let at = 0; at < bytes.length; at += SCAN_BYTES) {
    scan.read(bytes.subarray(at, at + SCAN_BYTES));
    await rest();
  }
  return parseLargeJson(bytes.toString("utf8"), rest, JSON.parse);
}

/** Counts the values and levels of JSON. */
class TreeScan {
  #values = 0;
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  /** @throws RangeError */
  read(bytes: Uint8Array): void {
    let [values, depth, isText, isEscaped] = [this.#values, this.#depth, this.#isText, this.#isEscaped];
    for (const byte of bytes) {
      if (isEscaped) isEscaped = false;
      else if (isText) {
        if (byte === BACKSLASH) isEscaped = true;
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
    [this.#values, this.#depth, this.#isText, this.#isEscaped] = [values, depth, isText, isEscaped];
  }
}
