/** Limits of a file engine. They apply to one child process, and thus to one file. */

const MIB = 1024 * 1024;

/**
 * Memory limit of DuckDB for one file; beyond it, data spills to disk. A small machine has several files open at once.
 */
export const ENGINE_MEMORY_LIMIT = "1GB";
/** Maximum size of the temporary files of a sort or join. Beyond it the statement fails instead of filling the disk. */
export const ENGINE_TEMP_LIMIT = "8GB";
/**
 * Size of the write-ahead log at which DuckDB writes the rows into the file. Each time it compresses the last rows of
 * every changed table again, so four times DuckDB's default saves a fifth of the work of a large load.
 */
export const ENGINE_LOG_LIMIT = "64MB";
/** DuckDB's threads per file: one query must not use all of a machine that also serves pages. */
export const ENGINE_THREADS = 2;
/** Maximum concurrent statements in one file; each holds a thread of libuv's pool while DuckDB works for it. */
export const STATEMENTS_AT_ONCE = 24;
/** Above STATEMENTS_AT_ONCE, so that a schema can be read while all slots are taken. */
export const ENGINE_POOL_THREADS = 32;
/** Maximum queued statements; the callers' own queues are far shorter. */
export const STATEMENT_QUEUE_MAX = 500;

/** Target size of a result batch: large enough to be efficient, small enough to hold many batches in memory. */
export const BATCH_BYTES_TARGET = MIB;
/** Maximum size of a cell that can be sent: the JSON text of its batch would approach V8's longest string. */
export const CELL_BYTES_MAX = 128 * MIB;
/** Maximum size of a message from a client: a statement and its parameters come from a body of at most 8 MiB. */
export const REQUEST_BYTES_MAX = 32 * MIB;
/**
 * Maximum size of a message to a client: the largest cell with the worst-case JSON escapes, and the rest of its batch.
 */
export const RESPONSE_BYTES_MAX = 6 * CELL_BYTES_MAX + 64 * MIB;

/** Interval at which an interrupt is repeated, because DuckDB forgets one that comes before it has started to work. */
export const INTERRUPT_EVERY_MS = 25;

/** Maximum time to rerun a query that failed in the middle of its rows, to get its error. */
export const FAILURE_RERUN_MS = 5000;

/**
 * Time after its interrupt at which a statement's engine is killed, because the statement does not check for
 * interrupts.
 */
export const STOP_GRACE_MS = 2000;
/** Time in which a dying engine sends its last frames to other clients. */
export const LAST_WORDS_MS = 100;
/** Time after which a blocked main thread, which reads frames and rows, is considered stuck. */
export const STALL_MS = 30_000;

/** Maximum length of a statement in characters, as in a request's body. */
export const STATEMENT_CHARS_MAX = 1024 * 1024;
/** Maximum nesting of brackets, CASE and BEGIN. DuckDB's limit for expressions is 1,000. */
export const STATEMENT_DEPTH_MAX = 500;
/** Maximum number of AND and OR: DuckDB's planner takes 0.6 s for 10,000 and four times as long for twice as many. */
export const CONDITIONS_MAX = 10_000;
/** Maximum number of UNION, INTERSECT and EXCEPT: DuckDB takes 0.3 s for 1,000 and 7 s for 5,000. */
export const SET_OPERATIONS_MAX = 1000;
/** Maximum number of consecutive signs and NOTs, each of which is a level of the expression. */
export const PREFIXES_MAX = 500;
