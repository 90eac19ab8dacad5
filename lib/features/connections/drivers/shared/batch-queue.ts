import type { Batch, WireValue } from "@/lib/base/values/fields";

/** Batches that are made ready before somebody asks. */
export const BATCHES_AHEAD = 2;

export type Step = { batch: Batch } | { done: true };

/** Rows on their way from a driver that is called for each row to a reader who asks for batches. */
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

  /** What is ready is still read first. */
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

/** Gathers rows into columns. */
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

  /** What was gathered, leaving the builder empty. */
  take(): Batch {
    const batch: Batch = { rowCount: this.rowCount, columns: this.#columns };
    this.#columns = Array.from({ length: this.#width }, () => []);
    this.rowCount = 0;
    this.bytes = 0;
    return batch;
  }
}
