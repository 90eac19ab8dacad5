/**
 * Short works that come in great numbers at once, of which each turn of the event loop does as many as fit into a time,
 * first come, first served: a thousand in one turn would hold up everybody for their sum (F15). The first of a turn is
 * done at once. Long work that can be cut takes an `ownTurn` for each slice.
 */
export class PacedLine {
  readonly #turnMs: number;
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #isTurnOpen = false;
  #isAtWork = false;
  #spentMs = 0;

  /** @param turnMs what the works of one turn may take, in milliseconds; the last one may exceed it */
  constructor(turnMs: number) {
    this.#turnMs = turnMs;
  }

  /**
   * @param work what it costs counts with all that it settles; must not throw
   * @param isUrgent goes before all that is not
   */
  enter(work: () => void, { isUrgent = false } = {}): void {
    (isUrgent ? this.#urgent : this.#others).push(work);
    if (!this.#isTurnOpen) this.#openTurn();
    this.#goOn();
  }

  #openTurn(): void {
    this.#isTurnOpen = true;
    this.#spentMs = 0;
    setImmediate(() => {
      this.#isTurnOpen = false;
      if (this.#urgent.length + this.#others.length === 0) return;
      this.#openTurn();
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#isAtWork || this.#spentMs >= this.#turnMs) return;
    const work = this.#urgent.shift() ?? this.#others.shift();
    if (!work) return;
    this.#isAtWork = true;
    const since = performance.now();
    work();
    // After all promises that it settles, where most of its cost is.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#spentMs += performance.now() - since;
        this.#isAtWork = false;
        this.#goOn();
      }),
    );
  }
}
