import { randomOf } from "@/test/random";

/** What a test tries, chosen by a seed that repeats it. */
export class Random {
  readonly #next: () => number;

  constructor(readonly seed: number) {
    this.#next = randomOf(seed);
  }

  /** 0 <= n < below, whole. */
  below(below: number): number {
    return Math.floor(this.#next() * below);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("There is nothing to pick from.");
    return item;
  }
}
