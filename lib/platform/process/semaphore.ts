export class QueueFullError extends Error {
  constructor() {
    super("The queue is full.");
    this.name = "QueueFullError";
  }
}

type Waiter = { grant: () => void; leave: (reason: unknown) => void };

/** At most `limit` at once; further ones wait in order, at most `queueMax` of them. */
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
   * Resolves with the function that gives the place back; calling it twice does nothing more.
   * @throws QueueFullError when the queue is full; the signal's reason when it aborts while waiting
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
      // The place passes straight to the next in line, so that nobody can overtake.
      if (next) next.grant();
      else this.active -= 1;
    };
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
