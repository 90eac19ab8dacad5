/** Length, two ids and the kind, 4 bytes each, stand in front of every message (MongoDB's documentation, "Wire Protocol"). */
const HEADER_BYTES = 16;
const LENGTH_BYTES = 4;
/** Twice what servers say of themselves as `maxMessageSizeBytes`, which they tell only in a message. */
const MESSAGE_BYTES_MAX = 2 * 48_000_000;

/** Follows a stream of messages by their announced lengths, in chunks of any size. */
export class MessageLengths {
  #length = Buffer.alloc(0);
  /** Bytes of the present message that have not come yet. */
  #left = 0;

  /** @returns false from the first length on that no message has */
  take(chunk: Buffer): boolean {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, chunk.length - at);
        this.#left -= step;
        at += step;
        continue;
      }
      const end = Math.min(at + LENGTH_BYTES - this.#length.length, chunk.length);
      this.#length = Buffer.concat([this.#length, chunk.subarray(at, end)]);
      at = end;
      if (this.#length.length < LENGTH_BYTES) return true;
      const length = this.#length.readInt32LE(0);
      if (length < HEADER_BYTES || length > MESSAGE_BYTES_MAX) return false;
      this.#length = Buffer.alloc(0);
      this.#left = length - LENGTH_BYTES;
    }
    return true;
  }
}
