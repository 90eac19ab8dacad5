/** Rows of a batch: enough to make a write worth its round trip, few enough to hold several (drivers bound the bytes). */
export const BATCH_ROWS = 5_000;
/** Longer than any run should take; what is left is read by the next one. */
export const RUN_TIMEOUT_MS = 12 * 3_600_000;
/** A source that says nothing for so long is taken for dead. Queries that gather for long say nothing meanwhile. */
export const SILENCE_MS = 30 * 60_000;
/** Rows of a run that the destination may refuse. With more of them it is the flow that is wrong, not the rows. */
export const REJECTED_ROWS_MAX = 100;
/** docs/develop/flows.md: what fails is tried 3 times in all within 60 s. */
export const TRIES_MAX = 3;
export const TRIES_TIMEOUT_MS = 60_000;
/** Before the second and the third try. */
export const TRY_WAITS_MS = [1_000, 4_000];
/** How often a run says how far it is, at the most. */
export const REPORT_EVERY_MS = 500;
/** How often its log does. */
export const LOG_EVERY_MS = 10_000;
/** A source whose fields keep growing would have us begin again and again. */
export const GROWTHS_MAX = 20;
