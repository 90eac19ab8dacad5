/** Maximum time that queued work may be deferred, in ms. */
const REST_MS_MAX = 50;

/**
 * A queue for many short tasks: each turn of the event loop runs as many as fit into a time budget, first come, first
 * served. A thousand in one turn would block everyone for their total time (F15). The first task of a turn runs at
 * once. Long work that can be sliced uses `yieldToEventLoop` for each slice.
 */
export class RequestPacer {
  readonly #turnMs: number;
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #isTurnOpen = false;
  #isAtWork = false;
  #isResting = false;
  #spentMs = 0;
  #workedAt = Number.NEGATIVE_INFINITY;

  /** @param turnMs time budget of one turn, in milliseconds; the last task may exceed it */
  constructor(turnMs: number) {
    this.#turnMs = turnMs;
  }

  /**
   * @param work must not throw; its time includes the promises that it settles
   * @param isUrgent whether it runs before all tasks that are not
   */
  enter(work: () => void, { isUrgent = false } = {}): void {
    (isUrgent ? this.#urgent : this.#others).push(work);
    if (!this.#isTurnOpen) this.#openTurn();
    this.#goOn();
  }

  /**
   * Leaves this turn and the next one to shorter work that has just arrived, of which a turn runs only one. The queue
   * resumes after a turn without such work.
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
