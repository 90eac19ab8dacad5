/*
 * Protocol between the server and a sandbox: frames of a JSON head and the bytes that it announces, in the bodies of
 * HTTP/2 requests over a socket pair that the child inherits. Nothing listens on a network.
 */

/** File descriptor of the child's end. */
export const CHANNEL_FD = 3;
/** Maximum size of a head, which holds a path and a short text, in bytes. */
const HEAD_BYTES_MAX = 64 * 1024;
const LENGTH_BYTES = 4;

/** Paths of the server's control requests to a sandbox. All other requests go to the dev server. */
export const CONTROL = {
  build: "/control/build",
  start: "/control/start",
  files: "/control/files",
} as const;

export type Problem = { path: string | null; line: number | null; column: number | null; message: string };

export type Head =
  | { type: "file"; path: string; bytes: number }
  /** A file of a package, with its path in the packages folder. */
  | { type: "package"; path: string; bytes: number }
  | { type: "removed"; path: string }
  | { type: "start"; base: string }
  | { type: "log"; line: string }
  | { type: "problem"; problem: Problem }
  /** The last frame. A stream without it was cut off. */
  | { type: "end" };

export type Frame = { head: Head; body: Buffer };

/** Thrown when the other side violates the protocol or sends too much. */
export class BadFrame extends Error {}

export function toFrame(head: Head, body: Buffer = Buffer.alloc(0)): Buffer[] {
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return body.length > 0 ? [length, json, body] : [length, json];
}

export function fileFrame(path: string, content: Buffer, type: "file" | "package" = "file"): Buffer[] {
  return toFrame({ type, path, bytes: content.length }, content);
}

/**
 * Reads frames until the last one.
 * @param bytesMax limit for all bodies together
 * @throws BadFrame
 */
export async function* readFrames(source: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Frame, void> {
  const bytes = new Pieces(source);
  let left = bytesMax;
  for (;;) {
    const headBytes = (await bytes.take(LENGTH_BYTES)).readUInt32BE();
    if (headBytes > HEAD_BYTES_MAX) throw new BadFrame("A frame header is too large.");
    const head = toHead(await bytes.take(headBytes));
    if (head.type === "end") return;
    const bodyBytes = head.type === "file" || head.type === "package" ? head.bytes : 0;
    left -= bodyBytes;
    if (left < 0) throw new BadFrame("The files are too large.");
    yield { head, body: await bytes.take(bodyBytes) };
  }
}

/** Parses a frame's head. The sandbox may be compromised, so its frames are not trusted. */
function toHead(bytes: Buffer): Head {
  const head: unknown = JSON.parse(bytes.toString("utf8"));
  if (typeof head !== "object" || head === null || !("type" in head)) throw new BadFrame("A frame has no type.");
  const { type, path, bytes: length, line, problem } = head as Record<string, unknown>;
  const isHead =
    type === "end" ||
    type === "start" ||
    (type === "log" && typeof line === "string") ||
    (type === "problem" && typeof problem === "object" && problem !== null) ||
    (type === "removed" && typeof path === "string") ||
    ((type === "file" || type === "package") &&
      typeof path === "string" &&
      Number.isSafeInteger(length) &&
      Number(length) >= 0);
  if (!isHead) throw new BadFrame("Unknown frame type.");
  return head as Head;
}

/** Reads a stream in pieces of requested lengths. */
class Pieces {
  readonly #source: AsyncIterator<Buffer>;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer> {
    while (this.#length < length) {
      const { done, value } = await this.#source.next();
      if (done) throw new BadFrame("The frames are truncated.");
      this.#chunks.push(value);
      this.#length += value.length;
    }
    const all = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const piece = all.subarray(0, length);
    this.#chunks = all.length > length ? [all.subarray(length)] : [];
    this.#length = all.length - length;
    return piece;
  }
}
