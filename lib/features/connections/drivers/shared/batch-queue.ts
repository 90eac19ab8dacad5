import type { Batch, WireValue } from "@/lib/base/values/fields";

/** Maximum number of batches that are prepared in advance. */
export const BATCHES_AHEAD = 2;

export type Step = { batch: Batch } | { done: true };

/** A queue between a driver that is called for each row and a reader that requests batches. */
export class BatchQueue {
  #ready: Batch[] = [];
  #waiter: { resolve: (step: Step) => void; reject: (error: unknown) => void } | null = null;
  #failure: { error: unknown } | null = null;
  #isComplete = false;

  get isFull(): boolean {
    return this.#ready.length >= BATCHES_AHEAD;
  }

  get length(): number {
    return this.#ready.length;
  }

  get isFailed(): boolean {
    return this.#failure !== null;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  push(batch: Batch): void {
    if (!this.#waiter) {
      this.#ready.push(batch);
      return;
    }
    this.#waiter.resolve({ batch });
    this.#waiter = null;
  }

  complete(): void {
    this.#isComplete = true;
    this.#waiter?.resolve({ done: true });
    this.#waiter = null;
  }

  /** Fails the queue after the batches that are ready. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#waiter?.reject(this.#failure.error);
    this.#waiter = null;
  }

  clear(): void {
    this.#ready = [];
  }

  next(): Promise<Step> {
    const batch = this.#ready.shift();
    if (batch) return Promise.resolve({ batch });
    if (this.#failure) return Promise.reject(this.#failure.error);
    if (this.#isComplete) return Promise.resolve({ done: true });
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }
}

/** Collects rows into columns. */
export class BatchBuilder {
  readonly #width: number;
  #columns: WireValue[][];
  rowCount = 0;
  bytes = 0;

  constructor(width: number) {
    this.#width = width;
    this.#columns = Array.from({ length: width }, () => []);
  }

  add(row: readonly WireValue[], bytes: number): void {
    for (let index = 0; index < this.#width; index += 1) this.#columns[index]?.push(row[index] ?? null);
    this.rowCount += 1;
    this.bytes += bytes;
  }

  /** Returns the collected rows and empties the builder. */
  take(): Batch {
    const batch: Batch = { rowCount: this.rowCount, columns: this.#columns };
    this.#columns = Array.from({ length: this.#width }, () => []);
    this.rowCount = 0;
    this.bytes = 0;
    return batch;
  }
}
