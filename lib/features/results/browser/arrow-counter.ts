/**
 * Prefix of each message: four bytes of ones, then the length of its header (Arrow columnar format, encapsulated
 * messages).
 */
const PREFIX_BYTES = 8;
/** Type of a message header, and positions of the fields read from its table, by Arrow's Message.fbs. */
const RECORD_BATCH = 3;
const MESSAGE = { headerType: 1, header: 2, bodyLength: 3 } as const;
const BATCH = { length: 0 } as const;
/** Maximum size of a header, which describes the body and holds no rows; anything longer is invalid. */
const HEAD_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Counts the rows of an Arrow stream as it passes, at any chunk boundaries. Reads only the message headers and skips
 * the rows.
 */
export class ArrowCounter {
  rows = 0;
  #held = new Uint8Array(0);
  /** Bytes of rows still to be skipped. */
  #skip = 0;

  read(bytes: Uint8Array): void {
    let at = Math.min(this.#skip, bytes.length);
    this.#skip -= at;
    if (at === bytes.length) return;
    const all = this.#held.length === 0 ? bytes : join(this.#held, bytes);
    for (;;) {
      const view = new DataView(all.buffer, all.byteOffset + at);
      if (all.length - at < PREFIX_BYTES) break;
      const headBytes = view.getUint32(4, true);
      if (headBytes > HEAD_BYTES_MAX) throw new Error("Invalid Arrow stream.");
      // End-of-stream marker.
      if (headBytes === 0) return;
      if (all.length - at < PREFIX_BYTES + headBytes) break;
      const { rows, bodyBytes } = readHead(new DataView(all.buffer, all.byteOffset + at + PREFIX_BYTES, headBytes));
      this.rows += rows;
      at += PREFIX_BYTES + headBytes + bodyBytes;
      if (at > all.length) {
        this.#skip = at - all.length;
        at = all.length;
        break;
      }
    }
    this.#held = all.slice(at);
  }
}

/** Reads a message header, which is a FlatBuffers table. `rows` is its record batch's length, 0 for a schema. */
function readHead(head: DataView): { rows: number; bodyBytes: number } {
  const message = head.getUint32(0, true);
  const bodyAt = fieldOf(head, message, MESSAGE.bodyLength);
  const bodyBytes = bodyAt === null ? 0 : Number(head.getBigInt64(bodyAt, true));
  const kindAt = fieldOf(head, message, MESSAGE.headerType);
  const batchAt = fieldOf(head, message, MESSAGE.header);
  if (kindAt === null || batchAt === null || head.getUint8(kindAt) !== RECORD_BATCH) return { rows: 0, bodyBytes };
  const lengthAt = fieldOf(head, batchAt + head.getUint32(batchAt, true), BATCH.length);
  return { rows: lengthAt === null ? 0 : Number(head.getBigInt64(lengthAt, true)), bodyBytes };
}

/** Returns the position of a table's field; null when it has its default. */
function fieldOf(view: DataView, table: number, index: number): number | null {
  const entries = table - view.getInt32(table, true);
  const entry = 4 + 2 * index;
  const offset = entry < view.getUint16(entries, true) ? view.getUint16(entries + entry, true) : 0;
  return offset === 0 ? null : table + offset;
}

function join(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}
