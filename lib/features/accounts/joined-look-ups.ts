/**
 * Look-ups that many ask for at once. Whoever asks while one of the same key is under way waits for the next one, and
 * shares it with all who come meanwhile: an answer is never older than its question, so nothing that was revoked lives
 * on (T11, T19), and a page with twenty queries costs two look-ups rather than twenty.
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
