import type { Deadline } from "./deadline.ts";
import { StoreError } from "./errors.ts";

/**
 * How long the evaluation of one document may hold the event loop, ms of this thread's own time. Commands give others
 * a turn between documents and not within one; so this is also what another client waits for at most.
 */
export const MAX_HOLD_MS = 250;
/** Steps between two looks at the clock; each is some tens of nanoseconds. */
const STEPS_PER_LOOK = 4096;

type Turn = { deadline: Deadline; from: number; cpuFrom: number | undefined };

let steps = 0;
let turn: Turn | undefined;
let exemptions = 0;

/** Says that the event loop begins to work for one command. */
export function beginTurn(deadline: Deadline): void {
  steps = 0;
  turn = { deadline, from: performance.now(), cpuFrom: undefined };
}

/** Says that the command waits, or is done. What runs outside of commands is not limited. */
export function endTurn(): void {
  turn = undefined;
}

/**
 * Counts work within one document, so that no expression, however deep its loops, holds the store or outlives its
 * command's time: called by every loop whose length the client decides.
 * @throws StoreError MaxTimeMSExpired when the command's time is over, or this turn has held the event loop too long
 */
export function spend(count: number): void {
  steps += count;
  if (steps >= STEPS_PER_LOOK) look();
}

/** Work over text goes by far more than a step's worth of characters at once. */
export function spendText(length: number): void {
  spend(1 + (length >> 6));
}

function look(): void {
  steps = 0;
  if (turn === undefined || exemptions > 0) return;
  turn.cpuFrom ??= cpuMs();
  turn.deadline.check();
  // A thread that waits for the processor while others have it has not held anything up by itself.
  if (performance.now() - turn.from < MAX_HOLD_MS || cpuMs() - turn.cpuFrom < MAX_HOLD_MS) return;
  throw new StoreError(
    "MaxTimeMSExpired",
    `The expression takes more than ${MAX_HOLD_MS} ms for one document, in which the store would serve nobody else. Make its loops or its input smaller.`,
  );
}

/** What is left of the running command's time, ms. */
export function timeLeft(): number {
  return turn?.deadline.left() ?? Number.POSITIVE_INFINITY;
}

/** @throws StoreError MaxTimeMSExpired when the running command's time is over */
export function checkTime(): void {
  turn?.deadline.check();
}

/** Runs what has to come to its end once it began, as the change of one document in the file. */
export function uninterrupted<T>(run: () => T): T {
  exemptions++;
  try {
    return run();
  } finally {
    exemptions--;
  }
}

/** Processor time of this thread, ms. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
