import { StoreError } from "../errors.ts";

/** Bytes that are written one after another into a growing buffer. */
export class GrowingBytes {
  protected buffer: Buffer;
  protected at = 0;
  private readonly most: number;

  /** @param most limit in bytes, because a document that an expression made may contain itself many times */
  constructor(size: number, most = Number.POSITIVE_INFINITY) {
    this.most = most;
    this.buffer = Buffer.allocUnsafe(size);
  }

  /** Returns a copy of the written bytes. */
  bytes(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.at));
  }

  byte(n: number): void {
    this.room(1);
    this.buffer[this.at++] = n;
  }

  protected raw(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
  }

  protected room(bytes: number): void {
    const needed = this.at + bytes;
    if (needed <= this.buffer.length) return;
    if (needed > this.most) {
      throw new StoreError(
        "BSONObjectTooLarge",
        `BSONObj size: ${needed} is invalid. Size must be between 0 and ${this.most}`,
      );
    }
    const grown = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(grown, 0, 0, this.at);
    this.buffer = grown;
  }
}
