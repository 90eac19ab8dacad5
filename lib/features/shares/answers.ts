import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { QueueFullError, Semaphore } from "@/lib/platform/process/semaphore";
import { sharedState } from "@/lib/platform/process/shared-state";

/** Of all shares on this server: computed at once, and waiting. The members' own pages have the rest of it. */
const AT_ONCE = 2;
const QUEUE_MAX = 200;
/** Of one share, computed and waiting: one that is flooded leaves the rest of the line to the others. */
const OF_ONE_MAX = 50;
const RETRY_AFTER_SECONDS = 2;
/** Ten thousand who look at one page ask it once within this; who has filtered it sees new rows as late as this. */
const KEPT_MS = 5_000;
/** States of pages that are kept, the longest unasked given up first: each is an answer of one widget or page. */
const KEPT_MAX = 100;
/** Whoever asked first may have left: an answer that takes longer than this is given up. */
const TIMEOUT_MS = 2 * 60_000;

type Kept = { answer: Promise<unknown>; until: number };
const state = () =>
  sharedState("shares-answers", () => ({
    kept: new Map<string, Kept>(),
    /** Questions of a share that are being computed or wait. */
    asked: new Map<string, number>(),
    turns: new Semaphore(AT_ONCE, QUEUE_MAX),
  }));

/**
 * What a share answers to a question, computed once for all who ask the same at once or shortly after.
 * @param question names it, and the state of what is shared
 * @throws AppError `unavailable` when too many different ones wait
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
    // The last to be given up.
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

/** What is still being computed stays: those who ask for it wait for the one. */
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
    throw new AppError("timeout", "This took too long. Try again in a moment.", { cause: error });
  } finally {
    leave();
  }
}

function tooMany(cause?: unknown): AppError {
  return new AppError("unavailable", "Too many look at this right now. Try again in a moment.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    ...(cause !== undefined && { cause }),
  });
}
