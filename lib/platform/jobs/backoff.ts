import { RETRY_AFTER_MAX_MS, RETRY_AFTER_MIN_MS } from "./limits";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** Pauses after each failed attempt, in ms; the last one repeats. Inngest's defaults. */
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
/** Maximum random addition to a pause, in ms, so that jobs that failed together are not retried together. */
export const JITTER_MS = 30 * SECOND_MS;
/** Pause with JOB_RETRY_FAST, in ms: long enough to observe a retry, short enough for a test. */
export const FAST_PAUSE_MS = 200;

/** Returns the pause after a failed attempt, in ms; the first attempt is 0. */
export type Backoff = (attempt: number) => number;

export const defaultBackoff: Backoff = (attempt) =>
  (PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] as number) + Math.random() * JITTER_MS;

export const fastBackoff: Backoff = () => FAST_PAUSE_MS;

/**
 * Parses `Retry-After`, in seconds or as a date, and limits it to between a second and a day.
 * @returns milliseconds; null for neither form
 */
export function retryAfterMs(text: string | null, now: number): number | null {
  if (text === null || text.trim() === "") return null;
  const wanted = /^\d+$/.test(text.trim()) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  if (Number.isNaN(wanted)) return null;
  return Math.min(Math.max(wanted, RETRY_AFTER_MIN_MS), RETRY_AFTER_MAX_MS);
}
