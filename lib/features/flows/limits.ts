/** Rows of a batch: enough to be worth a round trip, few enough to hold several (drivers limit the bytes). */
export const BATCH_ROWS = 5_000;
/** Maximum duration of a run, longer than any should take; the next run reads the rest. */
export const RUN_TIMEOUT_MS = 12 * 3_600_000;
/**
 * Time without a response after which a source counts as unreachable, in ms. Long aggregations send nothing until they
 * finish.
 */
export const SILENCE_MS = 30 * 60_000;
/**
 * Maximum number of rows of a run that the destination may reject. More than that suggests a problem of the flow, not
 * of the rows.
 */
export const REJECTED_ROWS_MAX = 100;
/** Number of attempts within 60 s, including the first (docs/develop/flows.md). */
export const TRIES_MAX = 3;
export const TRIES_TIMEOUT_MS = 60_000;
/** Waits before the second and the third attempt, in ms. */
export const TRY_WAITS_MS = [1_000, 4_000];
/** Minimum interval of a run's progress reports, in ms. */
export const REPORT_EVERY_MS = 500;
/** Minimum interval of progress lines in its log, in ms. */
export const LOG_EVERY_MS = 10_000;
/**
 * Maximum number of restarts for new fields, so that a source whose fields keep growing does not restart a run forever.
 */
export const GROWTHS_MAX = 20;
