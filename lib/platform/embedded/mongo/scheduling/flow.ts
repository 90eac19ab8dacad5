import { setImmediate as nextTurn } from "node:timers/promises";
import type { Deadline } from "./deadline.ts";
import { beginTurn, endTurn } from "./effort.ts";

/** Marks a moment at which a long read may yield to other commands. */
export const PAUSE = Symbol("pause");
export type Pause = typeof PAUSE;
/** A stream of items, with pauses at which other commands may run. */
export type Flow<T> = Generator<T | Pause, void, undefined>;

/** Maximum time that a read holds the event loop, in ms. */
export const TURN_MS = 5;
/** Values to sort or merge between two pauses; a few milliseconds of comparisons. */
const SORT_RUN = 1024;

/** A flow without items. */
// biome-ignore lint/correctness/useYield: a flow without documents
export function* nothing(): Flow<never> {
  return;
}

/**
 * Adds a pause whenever computing the next item has taken a full turn. A stage may turn one document into a million, or
 * a million into none, and still has to respect the time limit and yield to other commands.
 */
export function* paced<T>(flow: Flow<T>): Flow<T> {
  let started = performance.now();
  for (const item of flow) {
    if (performance.now() - started >= TURN_MS) {
      yield PAUSE;
      started = performance.now();
    }
    yield item;
  }
}

export function* window<T>(flow: Flow<T>, skip: number, limit: number | undefined): Flow<T> {
  let passed = 0;
  let taken = 0;
  if (limit === 0) return;
  for (const item of flow) {
    if (item === PAUSE) yield PAUSE;
    else if (passed < skip) passed++;
    else {
      yield item;
      if (limit !== undefined && ++taken >= limit) return;
    }
  }
}

/** Sorts like `Array.sort` (stable), with pauses in between. */
export function* sortByTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<Pause, T[], undefined> {
  let runs: T[][] = [];
  for (let i = 0; i < items.length; i += SORT_RUN) {
    runs.push(items.slice(i, i + SORT_RUN).sort(compare));
    yield PAUSE;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<Pause, T[], undefined> {
  const merged: T[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const isRight = i === left.length || (j < right.length && compare(right[j] as T, left[i] as T) < 0);
    merged.push((isRight ? right[j++] : left[i++]) as T);
    if (merged.length % SORT_RUN === 0) yield PAUSE;
  }
  return merged;
}

/** Takes items from a flow in turns, so that no read blocks the others. */
export class Turns {
  private started = 0;
  readonly deadline: Deadline;

  constructor(deadline: Deadline) {
    this.deadline = deadline;
    this.begin();
  }

  /** Marks that the event loop works for this command again, after it has waited. */
  begin(): void {
    this.started = performance.now();
    beginTurn(this.deadline);
  }

  /** Yields to other commands when this one's turn is over. */
  async pause(): Promise<void> {
    if (performance.now() - this.started < TURN_MS) return;
    endTurn();
    await nextTurn();
    this.deadline.check();
    this.begin();
  }

  /** True when the current turn is over. */
  get isOver(): boolean {
    return performance.now() - this.started >= TURN_MS;
  }

  async collect<T>(flow: Flow<T>): Promise<T[]> {
    const items: T[] = [];
    for (const item of flow) {
      if (item === PAUSE) await this.pause();
      else items.push(item);
    }
    return items;
  }

  /** Returns the first item; undefined when there is none. */
  async first<T>(flow: Flow<T>): Promise<T | undefined> {
    for (const item of flow) {
      if (item !== PAUSE) return item;
      await this.pause();
    }
    return undefined;
  }
}
