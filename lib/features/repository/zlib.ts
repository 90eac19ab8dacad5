import "server-only";
import { promisify } from "node:util";
import { deflate, deflateSync, inflate, inflateSync } from "node:zlib";

/** Above this size, zlib runs outside the event loop (F15); below it, the hand-over costs more than the work. */
const INLINE_BYTES = 64 * 1024;
const CHUNK_BYTES_MIN = 64;

const deflateAside = promisify(deflate);
const inflateAside = promisify(inflate);

/** Compresses an object's content. */
export async function deflated(content: Buffer): Promise<Buffer> {
  return ownMemory(content.length > INLINE_BYTES ? await deflateAside(content) : deflateSync(content));
}

/** Unpacks a zlib stream; `size` limits the result (T90). @throws Error for a longer one */
export async function inflated(stream: Buffer, size: number): Promise<Buffer> {
  const options = { maxOutputLength: Math.max(size, 1), chunkSize: chunkOf(size) };
  return size > INLINE_BYTES ? inflateAside(stream, options) : inflateSync(stream, options);
}

/** Returns a size of zlib's output blocks that fits a small result without a second block. */
export function chunkOf(size: number): number {
  return Math.min(Math.max(size + 1, CHUNK_BYTES_MIN), INLINE_BYTES);
}

/**
 * Returns bytes that keep no larger memory. A small result of zlib keeps a block of at least 16 KiB: thousands of them
 * in one list would take hundreds of times their size.
 */
export function ownMemory(bytes: Buffer): Buffer {
  if (bytes.length * 2 >= bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
