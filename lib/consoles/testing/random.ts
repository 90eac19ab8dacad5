/** Numbers that a seed repeats (mulberry32). */
export class Random {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed;
  }

  /** 0 <= n < below, whole. */
  below(below: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("There is nothing to pick from.");
    return item;
  }
}
