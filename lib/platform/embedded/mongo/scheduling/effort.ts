import { StoreError } from "../errors.ts";
import type { Deadline } from "./deadline.ts";

/**
 * Maximum time that the evaluation of one document may hold the event loop, in ms of this thread's CPU time. Commands
 * yield between documents and not within one, so this also bounds how long other clients wait.
 */
export const MAX_HOLD_MS = 250;
/** Steps between two reads of the clock; each takes some tens of nanoseconds. */
const STEPS_PER_LOOK = 4096;

type Turn = { deadline: Deadline; from: number; cpuFrom: number | undefined };

let steps = 0;
let turn: Turn | undefined;
let exemptions = 0;

/** Marks the start of a command's turn in the event loop. */
export function beginTurn(deadline: Deadline): void {
  steps = 0;
  turn = { deadline, from: performance.now(), cpuFrom: undefined };
}

/** Marks that the command waits or has finished. Work outside of commands is not limited. */
export function endTurn(): void {
  turn = undefined;
}

/**
 * Counts work within one document, so that no expression, however deep its loops, blocks the store or exceeds its
 * command's time. Every loop whose length the client controls calls it.
 * @throws StoreError MaxTimeMSExpired when the command's time is over, or this turn has held the event loop too long
 */
export function spend(count: number): void {
  steps += count;
  if (steps >= STEPS_PER_LOOK) look();
}

/** Counts work over text, which processes far more than one character per step. */
export function spendText(length: number): void {
  spend(1 + (length >> 6));
}

function look(): void {
  steps = 0;
  if (turn === undefined || exemptions > 0) return;
  turn.cpuFrom ??= cpuMs();
  turn.deadline.check();
  // A thread that was only waiting for a processor has not blocked anything.
  if (performance.now() - turn.from < MAX_HOLD_MS || cpuMs() - turn.cpuFrom < MAX_HOLD_MS) return;
  throw new StoreError(
    "MaxTimeMSExpired",
    `The expression takes more than ${MAX_HOLD_MS} ms for one document. Reduce its loops or its input.`,
  );
}

/** Runs work that must not be stopped halfway, such as the change of one document in the file. */
export function uninterrupted<T>(run: () => T): T {
  exemptions++;
  try {
    return run();
  } finally {
    exemptions--;
  }
}

/** Returns the CPU time of this thread, in ms. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
