import { AppError } from "./errors";

export type SseOptions = {
  /** How often a comment says that the stream is alive. */
  pingMs: number;
  /** What may wait for a slow reader; then `write` waits. */
  bufferBytes: number;
  /** A reader who takes nothing for so long while something waits is taken for gone. */
  silenceMs: number;
  /** Called once, when the reader has left or is taken for gone. */
  onLeave: () => void;
};

/** An answer of Server-Sent Events whose writer is held up by a slow reader instead of filling the memory. */
export class SseStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #options: SseOptions;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #wake: (() => void) | null = null;
  #isOver = false;
  readonly #pings: NodeJS.Timeout;

  constructor(options: SseOptions) {
    this.#options = options;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#wake?.(),
        cancel: () => this.#leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: options.bufferBytes }),
    );
    this.#pings = setInterval(() => {
      if (!this.#isOver && this.#hasRoom()) this.#enqueue(": ping\n\n");
    }, options.pingMs);
  }

  /** One event of one line, whatever line breaks its text has (T68). @throws AppError `cancelled` for a reader who has left */
  async write(event: object | "[DONE]"): Promise<void> {
    if (this.#isOver) throw gone();
    this.#enqueue(`data: ${event === "[DONE]" ? event : JSON.stringify(event)}\n\n`);
    while (!this.#hasRoom()) {
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      const silence = setTimeout(() => this.#leave(), this.#options.silenceMs);
      await woken.promise;
      clearTimeout(silence);
      this.#wake = null;
      if (this.#isOver) throw gone();
    }
  }

  close(): void {
    if (this.#isOver) return;
    this.#end();
    this.#controller?.close();
  }

  #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  #enqueue(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#end();
    try {
      this.#controller?.error(gone());
    } catch {
      // It was cancelled by its reader.
    }
    this.#options.onLeave();
  }

  #end(): void {
    this.#isOver = true;
    clearInterval(this.#pings);
    this.#wake?.();
  }
}

function gone(): AppError {
  return new AppError("cancelled", "The reader has left.");
}
