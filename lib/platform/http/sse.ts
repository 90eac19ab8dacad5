import { AppError } from "./errors";

export type SseOptions = {
  /** Interval of comments that keep the stream alive. */
  pingMs: number;
  /** Maximum buffer for a slow reader; beyond it `write` waits. */
  bufferBytes: number;
  /** Time after which a reader who accepts nothing, although data waits, counts as gone. */
  silenceMs: number;
  /** Called once, when the reader has left or counts as gone. */
  onLeave: () => void;
};

/** An answer of Server-Sent Events whose writer waits for a slow reader instead of filling the memory. */
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

  /**
   * Writes an event on one line, also if its text has line breaks (T68). @throws AppError `cancelled` if the reader
   * has left
   */
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
      // The reader cancelled it.
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
  return new AppError("cancelled", "The client disconnected.");
}
