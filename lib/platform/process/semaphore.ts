export class QueueFullError extends Error {
  constructor() {
    super("The queue is full.");
    this.name = "QueueFullError";
  }

  /** Recognises errors of semaphores that another bundle's copy of this module has created. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "QueueFullError";
  }
}

type Waiter = { grant: () => void; leave: (reason: unknown) => void };

/** Allows at most `limit` holders at once; further ones wait in order, at most `queueMax` of them. */
export class Semaphore {
  private active = 0;
  private readonly waiting: Waiter[] = [];
  private readonly limit: number;
  private readonly queueMax: number;

  constructor(limit: number, queueMax: number) {
    this.limit = limit;
    this.queueMax = queueMax;
  }

  get isIdle(): boolean {
    return this.active === 0 && this.waiting.length === 0;
  }

  /**
   * Resolves with a function that releases the slot; calling it twice is harmless. @throws QueueFullError if the queue
   * is full; the signal's reason if it aborts while waiting
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.active < this.limit) this.active += 1;
    else {
      if (this.waiting.length >= this.queueMax) throw new QueueFullError();
      await this.wait(signal);
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.waiting.shift();
      // The slot passes directly to the next in the queue, so that no one can overtake.
      if (next) next.grant();
      else this.active -= 1;
    };
  }

  /** Runs work in a slot. @throws as `acquire`, and errors of the work */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  private wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        const index = this.waiting.indexOf(waiter);
        if (index >= 0) this.waiting.splice(index, 1);
        waiter.leave(signal?.reason);
      };
      const waiter: Waiter = {
        grant: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
        leave: reject,
      };
      this.waiting.push(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}
