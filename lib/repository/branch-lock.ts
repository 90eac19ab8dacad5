import { AppError } from "@/lib/http/errors";
import { QueueFullError, Semaphore } from "@/lib/process/semaphore";

/** More than any burst that a server takes at once; beyond it a writer is told to come back. */
const QUEUE_MAX = 10_000;

const locks = new Map<string, Semaphore>();

/**
 * Runs the writers of one branch in this process one after another. Only saves retries: what keeps commits from being
 * lost is the compare-and-set in the store, which knows other processes too.
 * @throws AppError unavailable when too many wait
 */
export async function oneAtATime<T>(key: string, work: () => Promise<T>): Promise<T> {
  let lock = locks.get(key);
  if (!lock) {
    lock = new Semaphore(1, QUEUE_MAX);
    locks.set(key, lock);
  }
  const release = await lock.acquire().catch(explainFullQueue);
  try {
    return await work();
  } finally {
    release();
    if (lock.isIdle) locks.delete(key);
  }
}

function explainFullQueue(error: unknown): never {
  if (!(error instanceof QueueFullError)) throw error;
  throw new AppError("unavailable", "Too many saves at once. Try again in a moment.", { retryAfterSeconds: 1 });
}
