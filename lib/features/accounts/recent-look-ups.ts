/**
 * What was found a moment ago, for those who may take that: until it is older than they allow, or until something was
 * written to what it was read from. A look-up that finds nothing is not kept.
 */
export class RecentLookUps<T> {
  readonly #found = new Map<string, { value: T; since: number; changes: number }>();
  readonly #lifeMs: number;
  readonly #max: number;
  readonly #now: () => number;

  /** @param lifeMs counted from the question, not from its answer @param max of them are kept, those asked last */
  constructor(lifeMs: number, max: number, now: () => number = () => performance.now()) {
    this.#lifeMs = lifeMs;
    this.#max = max;
    this.#now = now;
  }

  /** @param changes tells by another number that something was written (`changesOf`) */
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
    // The oldest come first: what nobody asks for again does not stay in memory.
    for (const [old, { since }] of this.#found) {
      if (this.#found.size <= this.#max && this.#now() - since < this.#lifeMs) break;
      this.#found.delete(old);
    }
  }
}
