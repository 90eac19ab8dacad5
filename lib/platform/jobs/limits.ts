/*
 * The limits of a job runner, as Inngest has them. Each says what it bounds and what happens beyond it.
 */

const MIB = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** An event's text; a larger one is refused. */
export const EVENT_BYTES_MAX = 512 * 1024;
/** Events of one request, and its whole body: a full batch of small events. */
export const EVENTS_MAX = 5_000;
export const EVENTS_BYTES_MAX = 10 * MIB;
export const EVENT_NAME_CHARS_MAX = 256;
/** The data of one step, and what a function returns; beyond it the run fails. */
export const OUTPUT_BYTES_MAX = 4 * MIB;
/** A call; a run with more state sends it in parts, which the application fetches. */
export const CALL_BYTES_MAX = 4 * MIB;
/** An answer: a step's data and what surrounds it. */
export const ANSWER_BYTES_MAX = 8 * MIB;
/** The data of all steps of a run. */
export const STATE_BYTES_MAX = 32 * MIB;
export const STEPS_MAX = 1_000;
export const TRIGGERS_MAX = 10;
export const CONCURRENCY_LIMITS_MAX = 2;
export const CANCELS_MAX = 5;
/** How often a step or a function is tried again unless it says otherwise, and the most it may say. */
export const RETRIES_DEFAULT = 4;
export const RETRIES_MAX = 20;
/** What one call may take, a step that moves a million rows included. */
export const CALL_TIMEOUT_MS = 2 * HOUR_MS;
/** What a step sleeps or waits at most: a year, a leap day included. */
export const WAIT_MAX_MS = 366 * DAY_MS;
/** Within it an event's id, or a function's idempotency key, starts nothing a second time. */
export const IDEMPOTENCY_MS = DAY_MS;
/** What waits so long for a function that no server has is given up. An upgrade of many servers takes less. */
export const GONE_AFTER_MS = DAY_MS;
/** `Retry-After` is brought into these bounds. */
export const RETRY_AFTER_MIN_MS = 1000;
export const RETRY_AFTER_MAX_MS = DAY_MS;

/** Events that have been looked at and runs that have ended are kept for as long as their keys have to be known. */
export const KEEP_MS = IDEMPOTENCY_MS;
