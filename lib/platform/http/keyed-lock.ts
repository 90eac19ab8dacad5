import { Coalescer } from "@/lib/base/async/coalescer";
import { QueueFullError, Semaphore } from "@/lib/platform/process/semaphore";
import { serverMember } from "@/lib/platform/process/server-context";
import { AppError } from "./errors";

/** Maximum queue: more than any burst that a server accepts; beyond it a writer is told to retry. */
const QUEUE_MAX = 10_000;

const keyedLocks = serverMember("keyedLocks", () => new Map());

/**
 * Serialises writes to the same object in this process. It only saves retries, each later than the one before: the
 * database, which knows the other processes too, prevents lost writes.
 * @param key identifies the object among all writers
 * @param signal ends the waiting
 * @throws what `work` throws; AppError unavailable if too many wait; the signal's reason
 */
export async function withKeyedLock<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const turns = keyedLocks();
  const turn = turns.get(key) ?? new Semaphore(1, QUEUE_MAX);
  turns.set(key, turn);
  const leave = await turn.acquire(signal).catch((error: unknown) => {
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

const coalesced = serverMember("coalescedWork", () => new Coalescer());

/**
 * Coalesces work of this process that has the same effect for all callers: a call while it runs shares the next run,
 * which starts afterwards and so sees everything written before the call.
 */
export function coalesce(key: string, work: () => Promise<void>): Promise<void> {
  return coalesced().next(key, work);
}
