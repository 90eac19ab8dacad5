/* Limits of the job runner, as in Inngest. Each comment says what is limited and what happens beyond it. */

const MIB = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Maximum size of an event's JSON; a larger event is rejected. */
export const EVENT_BYTES_MAX = 512 * 1024;
/** Maximum events of one request, and the maximum size of its body: a full batch of small events. */
export const EVENTS_MAX = 5_000;
export const EVENTS_BYTES_MAX = 10 * MIB;
export const EVENT_NAME_CHARS_MAX = 256;
/** Maximum size of a step's data and of a function's result; beyond it the run fails. */
export const OUTPUT_BYTES_MAX = 4 * MIB;
/** Maximum size of a call. With more state, the application fetches the state separately. */
export const CALL_BYTES_MAX = 4 * MIB;
/** Maximum size of a response: a step's data and its envelope. */
export const ANSWER_BYTES_MAX = 8 * MIB;
/** Maximum size of the data of all steps of a run. */
export const STATE_BYTES_MAX = 32 * MIB;
export const STEPS_MAX = 1_000;
export const TRIGGERS_MAX = 10;
export const CONCURRENCY_LIMITS_MAX = 2;
/** Default and maximum number of retries of a step or function. */
export const RETRIES_DEFAULT = 4;
export const RETRIES_MAX = 20;
/** Timeout of a call, in ms, long enough for a step that moves a million rows. */
export const CALL_TIMEOUT_MS = 2 * HOUR_MS;
/** Maximum time that a step sleeps: a leap year, in ms. */
export const WAIT_MAX_MS = 366 * DAY_MS;
/** Time within which an event's id starts nothing a second time, in ms. */
export const IDEMPOTENCY_MS = DAY_MS;
/** Age at which a job of a function that no server has is failed, in ms. An upgrade of many servers takes less time. */
export const GONE_AFTER_MS = DAY_MS;
/** Bounds of `Retry-After`, in ms. */
export const RETRY_AFTER_MIN_MS = 1000;
export const RETRY_AFTER_MAX_MS = DAY_MS;

/** Retention of routed events and ended runs, in ms: for as long as their keys are needed. */
export const KEEP_MS = IDEMPOTENCY_MS;
