import "server-only";
import type { Binary } from "mongodb";

/** The bytes of a field, where they lie: its buffer may be a part of a longer one, and longer than what it holds. */
export function toBuffer({ buffer, position }: Binary): Buffer {
  return Buffer.from(buffer.buffer, buffer.byteOffset, position);
}
