import "server-only";
import type { Binary } from "mongodb";

/**
 * Returns the bytes of a field without copying: its buffer may be a part of a longer one, and longer than its content.
 */
export function toBuffer({ buffer, position }: Binary): Buffer {
  return Buffer.from(buffer.buffer, buffer.byteOffset, position);
}
