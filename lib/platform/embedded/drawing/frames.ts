/*
 * Protocol of the image processes. Frames are those of `../engine/wire.ts`. A connection carries one request: a JSON
 * frame with the number of frames, then those frames. The process greets each connection with an empty frame, and
 * answers in the same form, or with `{error}`.
 */

export type Head = { frameCount: number } | { error: string };

/** Maximum size of a frame. A full-height page of noise takes 60 MB of pixels. */
export const FRAME_BYTES_MAX = 128 * 1024 * 1024;

const LENGTH_BYTES = 4;

/** Returns the bytes as one frame of the wire. */
export function toFrame(bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes.length);
  frame.writeUInt32LE(bytes.length, 0);
  frame.set(bytes, LENGTH_BYTES);
  return frame;
}

export function toJsonBytes(message: object): Buffer {
  return Buffer.from(JSON.stringify(message));
}

export function readJson<T>(frame: Uint8Array): T {
  return JSON.parse(Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString("utf8")) as T;
}
