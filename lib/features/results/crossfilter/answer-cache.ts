import type { Batch } from "@/lib/base/values/fields";
import { raceAbort } from "@/lib/platform/process/race-abort";

/**
 * Maximum number of cells in memory, over all tables: some ten thousand charts. Clicks of twenty users in a minute need
 * far less.
 */
const CELLS_MAX = 1_000_000;
/** Maximum number of cells of one answer: a larger one would evict all others. */
const CELLS_OF_ONE_MAX = 100_000;

type Running = { answer: Promise<Batch>; askers: number; leave: AbortController };

/** Recent and running queries of tables. The rows of a table never change, so identical queries share one answer. */
export class Answers {
  readonly #running = new Map<string, Running>();
  /** In order of last use, oldest first. */
  readonly #kept = new Map<string, Batch>();
  #cells = 0;

  /**
   * @param question identifies the query and its table
   * @param work is aborted when the last waiting caller has left
   * @throws errors of the work; the signal's reason when that comes first
   */
  async once(question: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Batch>): Promise<Batch> {
    signal.throwIfAborted();
    const known = this.#kept.get(question);
    if (known) {
      this.#kept.delete(question);
      this.#kept.set(question, known);
      return known;
    }
    const running = this.#running.get(question) ?? this.#begin(question, work);
    running.askers += 1;
    try {
      return await raceAbort(running.answer, signal);
    } finally {
      running.askers -= 1;
      if (running.askers === 0) {
        this.#forget(question, running);
        running.leave.abort(signal.reason);
      }
    }
  }

  #begin(question: string, work: (signal: AbortSignal) => Promise<Batch>): Running {
    const leave = new AbortController();
    const running: Running = { answer: work(leave.signal), askers: 0, leave };
    this.#running.set(question, running);
    running.answer.then(
      (answer) => {
        this.#forget(question, running);
        this.#keep(question, answer);
      },
      () => this.#forget(question, running),
    );
    return running;
  }

  /** Forgets an abandoned query: a later caller runs it again. */
  #forget(question: string, running: Running): void {
    if (this.#running.get(question) === running) this.#running.delete(question);
  }

  #keep(question: string, answer: Batch): void {
    const cells = cellsOf(answer);
    if (cells > CELLS_OF_ONE_MAX || this.#kept.has(question)) return;
    this.#kept.set(question, answer);
    this.#cells += cells;
    for (const [oldest, { rowCount, columns }] of this.#kept) {
      if (this.#cells <= CELLS_MAX) return;
      this.#kept.delete(oldest);
      this.#cells -= cellsOf({ rowCount, columns });
    }
  }
}

/** Counts at least one cell, since an empty answer also takes an entry. */
function cellsOf({ rowCount, columns }: Batch): number {
  return 1 + rowCount * columns.length;
}
