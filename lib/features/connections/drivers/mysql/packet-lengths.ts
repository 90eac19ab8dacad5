const HEADER_BYTES = 4;
/** A packet of this length is continued by the next one. */
const CONTINUED = 0xffffff;

/** Tracks the packets of MySQL's protocol by their headers alone. */
export class PacketLengths {
  #left = 0;
  #header = Buffer.alloc(0);
  /** Bytes of the message so far, over all of its packets. */
  #total = 0;

  /** @returns the announced length, so far, of the longest message that starts or continues in the chunk */
  push(chunk: Buffer): number {
    let longest = 0;
    let at = Math.min(this.#left, chunk.length);
    this.#left -= at;
    while (at < chunk.length) {
      const missing = HEADER_BYTES - this.#header.length;
      if (chunk.length - at < missing) {
        this.#header = Buffer.concat([this.#header, chunk.subarray(at)]);
        break;
      }
      const length =
        this.#header.length === 0
          ? chunk.readUIntLE(at, 3)
          : Buffer.concat([this.#header, chunk.subarray(at, at + missing)]).readUIntLE(0, 3);
      this.#header = Buffer.alloc(0);
      this.#total += length;
      longest = Math.max(longest, this.#total);
      if (length < CONTINUED) this.#total = 0;
      const end = at + missing + length;
      at = Math.min(end, chunk.length);
      this.#left = end - at;
    }
    return longest;
  }
}
