/**
 * Coalesces concurrent look-ups. A request for a key whose look-up is running waits for the next one, and shares it
 * with all others that arrive before it starts. An answer is never older than its question, so a revoked session or key
 * is never accepted (T11, T19), and a page with twenty queries costs two look-ups rather than twenty.
 */
export class JoinedLookUps<T> {
  readonly #turns = new Map<string, { current: Promise<T>; next: Promise<T> | null }>();

  ask(key: string, lookUp: () => Promise<T>): Promise<T> {
    const turn = this.#turns.get(key);
    if (!turn) return this.#start(key, lookUp);
    turn.next ??= turn.current.then(
      () => this.#start(key, lookUp),
      () => this.#start(key, lookUp),
    );
    return turn.next;
  }

  #start(key: string, lookUp: () => Promise<T>): Promise<T> {
    const current = lookUp();
    const turn = { current, next: null };
    this.#turns.set(key, turn);
    const forget = () => {
      if (turn.next === null) this.#turns.delete(key);
    };
    current.then(forget, forget);
    return current;
  }
}
