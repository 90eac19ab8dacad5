import { RETRY_AFTER_MAX_MS, RETRY_AFTER_MIN_MS } from "./limits";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** Inngest's default: the pause after each failed attempt, and from then on the last. */
export const PAUSES_MS = [
  15 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  20 * MINUTE_MS,
  40 * MINUTE_MS,
  60 * MINUTE_MS,
  120 * MINUTE_MS,
];
/** Up to so much is added at random, so that what failed together is not tried again together. */
export const JITTER_MS = 30 * SECOND_MS;
/** JOB_RETRY_FAST: long enough to see that something was tried again, short enough for a test. */
export const FAST_PAUSE_MS = 200;

/** The pause after an attempt that has failed, in milliseconds; the first attempt is 0. */
export type Backoff = (attempt: number) => number;

export const defaultBackoff: Backoff = (attempt) =>
  (PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] as number) + Math.random() * JITTER_MS;

export const fastBackoff: Backoff = () => FAST_PAUSE_MS;

/**
 * The pause that a `Retry-After` asks for, between a second and a day: seconds, or a point in time.
 * @returns null for what is neither
 */
export function retryAfterMs(text: string | null, now: number): number | null {
  if (text === null || text.trim() === "") return null;
  const wanted = /^\d+$/.test(text.trim()) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  if (Number.isNaN(wanted)) return null;
  return Math.min(Math.max(wanted, RETRY_AFTER_MIN_MS), RETRY_AFTER_MAX_MS);
}
