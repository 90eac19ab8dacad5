import { setImmediate as nextTurn } from "node:timers/promises";
import type { Deadline } from "./deadline.ts";
import { beginTurn, endTurn } from "./effort.ts";

/** A moment at which a long read lets other commands have their turn. */
export const PAUSE = Symbol("pause");
export type Pause = typeof PAUSE;
/** What reads are made of: items, and moments to pause between them. */
export type Flow<T> = Generator<T | Pause, void, undefined>;

/** The longest time that a read holds the event loop, ms. */
export const TURN_MS = 5;
/** Values that are sorted or merged between two pauses; some milliseconds of comparing. */
const SORT_RUN = 1024;

/** A flow of nothing. */
// biome-ignore lint/correctness/useYield: a flow without documents
export function* nothing(): Flow<never> {
  return;
}

/**
 * Lets a pause in wherever the making of the next item has taken a turn: a stage may turn one document into a million,
 * or a million into none, and has to heed the time limit and the other commands all the same.
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

/** Sorts like `Array.sort` (equal ones keep their order), and pauses on the way. */
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

/** Takes from a flow by turns, so that no read holds up the others. */
export class Turns {
  private started = 0;
  readonly deadline: Deadline;

  constructor(deadline: Deadline) {
    this.deadline = deadline;
    this.begin();
  }

  /** Says that the event loop works for this command again, after it has waited for something. */
  begin(): void {
    this.started = performance.now();
    beginTurn(this.deadline);
  }

  /** Gives other commands a turn when this one had its share. */
  async pause(): Promise<void> {
    if (performance.now() - this.started < TURN_MS) return;
    endTurn();
    await nextTurn();
    this.deadline.check();
    this.begin();
  }

  /** True when the present turn is over. */
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

  /** The first item; undefined when there is none. */
  async first<T>(flow: Flow<T>): Promise<T | undefined> {
    for (const item of flow) {
      if (item !== PAUSE) return item;
      await this.pause();
    }
    return undefined;
  }
}
