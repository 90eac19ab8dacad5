/** So long the works of a line may be put off by what else comes, turn after turn. */
const REST_MS_MAX = 50;

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
  #isResting = false;
  #spentMs = 0;
  #workedAt = Number.NEGATIVE_INFINITY;

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

  /**
   * Leaves this turn and the next one to something shorter that has just come, and of which a turn may do one only: what
   * waits here begins when nothing of it has come for a turn.
   */
  rest(): void {
    if (performance.now() - this.#workedAt > REST_MS_MAX) return;
    this.#isResting = true;
    if (!this.#isTurnOpen) this.#openTurn();
    this.#spentMs = this.#turnMs;
  }

  #openTurn(): void {
    this.#isTurnOpen = true;
    this.#spentMs = 0;
    setImmediate(() => {
      const isResting = this.#isResting;
      this.#isTurnOpen = false;
      this.#isResting = false;
      if (!isResting && this.#urgent.length + this.#others.length === 0) return;
      this.#openTurn();
      if (isResting) this.#spentMs = this.#turnMs;
      else this.#goOn();
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
        this.#workedAt = performance.now();
        this.#spentMs += this.#workedAt - since;
        this.#isAtWork = false;
        this.#goOn();
      }),
    );
  }
}
