import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { QueueFullError, Semaphore } from "@/lib/platform/process/semaphore";
import { serverMember } from "@/lib/platform/process/server-context";

/** Limits for all shares on this server: concurrent and queued requests. Members' pages have the remaining capacity. */
const AT_ONCE = 2;
const QUEUE_MAX = 200;
/** Maximum number of running and queued requests of one share: a flooded share leaves room for the others. */
const OF_ONE_MAX = 50;
const RETRY_AFTER_SECONDS = 2;
/**
 * Time that a response is cached, in ms. Ten thousand viewers of a page cost one computation in that time; new rows
 * appear with this delay.
 */
const KEPT_MS = 5_000;
/** Maximum number of cached responses. The one unused for longest is dropped first; each covers one widget or page. */
const KEPT_MAX = 100;
/** Maximum time for a response, since the first requester may have left. */
const TIMEOUT_MS = 2 * 60_000;

type Kept = { answer: Promise<unknown>; until: number };
/** Cached responses, the number of running and queued requests by share, and the queue of all. */
export type ShareResponses = { kept: Map<string, Kept>; asked: Map<string, number>; turns: Semaphore };

const state = serverMember("shareResponses", () => ({
  kept: new Map(),
  asked: new Map(),
  turns: new Semaphore(AT_ONCE, QUEUE_MAX),
}));

/**
 * Returns a share's response to a request, computed once for all identical requests at the same time or shortly after.
 * @param question identifies the request and the state of the shared item
 * @throws AppError `unavailable` when too many different requests are queued
 */
export function answerOnce<T>(
  shareId: ObjectId,
  question: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { kept } = state();
  const share = shareId.toHexString();
  const key = `${share} ${question}`;
  const now = performance.now();
  for (const [each, { until }] of kept) if (until <= now) kept.delete(each);
  const known = kept.get(key);
  if (known) {
    // Moves the entry to the end: it is dropped last.
    kept.delete(key);
    kept.set(key, known);
    return known.answer as Promise<T>;
  }
  const answer = forShare(share, () => inTurn(work));
  const entry: Kept = { answer, until: Number.POSITIVE_INFINITY };
  kept.set(key, entry);
  answer.then(
    () => {
      entry.until = performance.now() + KEPT_MS;
      dropUnasked(kept);
    },
    () => {
      if (kept.get(key) === entry) kept.delete(key);
    },
  );
  return answer;
}

/** Drops the entries unused for longest. Pending ones stay: other requests wait for them. */
function dropUnasked(kept: Map<string, Kept>): void {
  let over = [...kept.values()].filter(({ until }) => until < Number.POSITIVE_INFINITY).length - KEPT_MAX;
  for (const [key, { until }] of kept) {
    if (over <= 0) return;
    if (until === Number.POSITIVE_INFINITY) continue;
    kept.delete(key);
    over -= 1;
  }
}

async function forShare<T>(share: string, work: () => Promise<T>): Promise<T> {
  const { asked } = state();
  const count = asked.get(share) ?? 0;
  if (count >= OF_ONE_MAX) throw tooMany();
  asked.set(share, count + 1);
  try {
    return await work();
  } finally {
    const left = (asked.get(share) ?? 1) - 1;
    if (left > 0) asked.set(share, left);
    else asked.delete(share);
  }
}

async function inTurn<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const leave = await state()
    .turns.acquire(signal)
    .catch((error: unknown) => {
      throw tooMany(error instanceof QueueFullError ? undefined : error);
    });
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError("timeout", "Timed out. Try again in a moment.", { cause: error });
  } finally {
    leave();
  }
}

function tooMany(cause?: unknown): AppError {
  return new AppError("unavailable", "Too many viewers right now. Try again in a moment.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    ...(cause !== undefined && { cause }),
  });
}
