import "server-only";
import type { Socket } from "node:net";

const LEFT = "The peer disconnected during the handshake.";

/** Reads the bytes of a handshake from a socket, in any chunking, and releases the socket with the rest unread. */
export class ByteReader {
  readonly #socket: Socket;
  #waiting: { bytes: number; resolve: (taken: Buffer) => void; reject: (error: Error) => void } | null = null;
  readonly #onReadable = () => this.#serve();
  readonly #onEnd = () => this.#fail();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("readable", this.#onReadable).on("end", this.#onEnd).on("close", this.#onEnd);
  }

  async byte(): Promise<number> {
    return (await this.take(1)).readUInt8();
  }

  /** @throws Error when the other side closes first */
  take(bytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { bytes, resolve, reject };
      this.#serve();
    });
  }

  release(): void {
    this.#socket.off("readable", this.#onReadable).off("end", this.#onEnd).off("close", this.#onEnd);
  }

  #serve(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    const taken: Buffer | null = waiting.bytes === 0 ? Buffer.alloc(0) : this.#socket.read(waiting.bytes);
    if (taken === null) {
      if (this.#socket.readableEnded || this.#socket.destroyed) this.#fail();
      return;
    }
    this.#waiting = null;
    // An ended stream returns the bytes that it has, which may be fewer.
    if (taken.length < waiting.bytes) waiting.reject(new Error(LEFT));
    else waiting.resolve(taken);
  }

  #fail(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(new Error(LEFT));
  }
}
