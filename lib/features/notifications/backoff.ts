import { env } from "@/lib/platform/env";
import { FAST_PAUSE_MS, JITTER_MS, PAUSES_MS } from "@/lib/platform/jobs/backoff";

/** What a call of the runner may be late when all is well. */
const LATE_MS = 30_000;

/** The shortest pause of the job runner after this many sends. */
export function pauseAfter(sends: number): number {
  if (env().JOB_RETRY_FAST) return FAST_PAUSE_MS;
  return PAUSES_MS[Math.min(sends, PAUSES_MS.length) - 1] ?? 0;
}

/** When the runner has forgotten a delivery that failed this many times: it should have called long before. */
export function forgottenAfter(sends: number): number {
  return pauseAfter(sends) + (env().JOB_RETRY_FAST ? 0 : JITTER_MS) + LATE_MS;
}
