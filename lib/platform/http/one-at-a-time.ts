import { QueueFullError, Semaphore } from "@/lib/platform/process/semaphore";
import { sharedState } from "@/lib/platform/process/shared-state";
import { AppError } from "./errors";

/** More than any burst that a server takes at once; beyond it a writer is told to come back. */
const QUEUE_MAX = 10_000;

/**
 * Runs what writes the same thing in this process one after another. It only saves retries, each later than the one before:
 * what keeps writes from being lost is the store, which knows the other processes too.
 * @param key names the thing among all that anybody writes
 * @throws whatever `work` throws; AppError unavailable when too many wait
 */
export async function oneAtATime<T>(key: string, work: () => Promise<T>): Promise<T> {
  const turns = sharedState("db.turns", () => new Map<string, Semaphore>());
  const turn = turns.get(key) ?? new Semaphore(1, QUEUE_MAX);
  turns.set(key, turn);
  const leave = await turn.acquire().catch((error: unknown) => {
    if (!(error instanceof QueueFullError)) throw error;
    throw new AppError("unavailable", "Too many changes at once. Try again in a moment.", { retryAfterSeconds: 1 });
  });
  try {
    return await work();
  } finally {
    leave();
    if (turn.isIdle) turns.delete(key);
  }
}

/**
 * The same for work that does for all who ask what it does for one: whoever asks while it runs shares the next one, which
 * begins afterwards and so sees what was written before it was asked for.
 */
export function oneForAll(key: string, work: () => Promise<void>): Promise<void> {
  const coming = sharedState("db.coming", () => new Map<string, Promise<void>>());
  const there = coming.get(key);
  if (there) return there;
  const next = oneAtATime(key, () => {
    coming.delete(key);
    return work();
  });
  coming.set(key, next);
  return next;
}
