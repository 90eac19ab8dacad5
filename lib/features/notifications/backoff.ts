import { env } from "@/lib/platform/env";
import { FAST_PAUSE_MS, JITTER_MS, PAUSES_MS } from "@/lib/platform/jobs/backoff";

/** Normal maximum lateness of the runner's calls, in ms. */
const LATE_MS = 30_000;

/** Returns the job runner's shortest pause after this number of sends, in ms. */
export function pauseAfter(sends: number): number {
  if (env().JOB_RETRY_FAST) return FAST_PAUSE_MS;
  return PAUSES_MS[Math.min(sends, PAUSES_MS.length) - 1] ?? 0;
}

/** Returns the time after which the runner must have lost a delivery that has failed this often, in ms. */
export function forgottenAfter(sends: number): number {
  return pauseAfter(sends) + (env().JOB_RETRY_FAST ? 0 : JITTER_MS) + LATE_MS;
}
