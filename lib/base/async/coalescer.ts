type Turn<T> = { current: Promise<T>; next: Promise<T> | null };

/** Coalesces concurrent calls with the same key: one run of the work serves all of them. */
export class Coalescer<T> {
  readonly #turns = new Map<string, Turn<T>>();

  /** Number of keys whose work is running. */
  get size(): number {
    return this.#turns.size;
  }

  /**
   * Shares the next run: while one runs, all callers wait for the one after it. The result is never older than the call.
   */
  next(key: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.get(key);
    if (!turn) return this.#start(key, work);
    const start = () => this.#start(key, work);
    turn.next ??= turn.current.then(start, start);
    return turn.next;
  }

  /** Shares the running work, and starts it if none runs. A failure is everyone's, and the next call tries again. */
  join(key: string, work: () => Promise<T>): Promise<T> {
    return this.running(key) ?? this.#start(key, work);
  }

  /** Returns the running work of a key; null if none runs. */
  running(key: string): Promise<T> | null {
    const turn = this.#turns.get(key);
    return turn ? (turn.next ?? turn.current) : null;
  }

  #start(key: string, work: () => Promise<T>): Promise<T> {
    const turn: Turn<T> = { current: work(), next: null };
    this.#turns.set(key, turn);
    const forget = () => {
      if (turn.next === null && this.#turns.get(key) === turn) this.#turns.delete(key);
    };
    turn.current.then(forget, forget);
    return turn.current;
  }
}
