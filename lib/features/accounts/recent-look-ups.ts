/**
 * Caches recent look-ups for callers that accept them, until they exceed the allowed age, or until their source is
 * written to. An empty result is not cached.
 */
export class RecentLookUps<T> {
  readonly #found = new Map<string, { value: T; since: number; changes: number }>();
  readonly #lifeMs: number;
  readonly #max: number;
  readonly #now: () => number;

  /** @param lifeMs counted from the question, not from its answer @param max number of entries, the most recent ones */
  constructor(lifeMs: number, max: number, now: () => number = () => performance.now()) {
    this.#lifeMs = lifeMs;
    this.#max = max;
    this.#now = now;
  }

  /** @param changes returns a different number after every write (`changesOf`) */
  async ask(key: string, changes: () => number, lookUp: () => Promise<T | undefined>): Promise<T | undefined> {
    const [since, before] = [this.#now(), changes()];
    const known = this.#found.get(key);
    if (known && known.changes === before && since - known.since < this.#lifeMs) return known.value;
    this.#found.delete(key);
    const value = await lookUp();
    if (value !== undefined) this.#keep(key, { value, since, changes: before });
    return value;
  }

  #keep(key: string, found: { value: T; since: number; changes: number }): void {
    this.#found.delete(key);
    this.#found.set(key, found);
    // The oldest come first: unused entries do not stay in memory.
    for (const [old, { since }] of this.#found) {
      if (this.#found.size <= this.#max && this.#now() - since < this.#lifeMs) break;
      this.#found.delete(old);
    }
  }
}
