/** Bounds of a file engine. They hold for one child process, hence for one file. */

const MIB = 1024 * 1024;

/** DuckDB's buffers of one file; more spills to disk. Several files are open at once on a small machine. */
export const ENGINE_MEMORY_LIMIT = "1GB";
/** What a sort or join may spill beside its file before it fails instead of filling the disk. */
export const ENGINE_TEMP_LIMIT = "8GB";
/** DuckDB's own threads: one query should not take a whole machine that also serves pages. */
export const ENGINE_THREADS = 2;
/** Statements that run at once in one file; each holds a thread of libuv's pool while DuckDB works for it. */
export const STATEMENTS_AT_ONCE = 24;
/** Above STATEMENTS_AT_ONCE, so that a schema can be read while all places are taken. */
export const ENGINE_POOL_THREADS = 32;
/** Statements that wait for a place; the callers' own queues are far shorter. */
export const STATEMENT_QUEUE_MAX = 500;

/** How much of a result travels at once: large enough to be cheap, small enough to be held many times over. */
export const BATCH_BYTES_TARGET = MIB;
/** One cell above this cannot be sent at all: the text of its batch would come near the longest string of V8. */
export const CELL_BYTES_MAX = 128 * MIB;
/** A message from a client: a statement and its parameters come from a body of at most 8 MiB. */
export const REQUEST_BYTES_MAX = 32 * MIB;
/** A message to a client: the largest cell, escaped as JSON at its worst, and the rest of its batch. */
export const RESPONSE_BYTES_MAX = 6 * CELL_BYTES_MAX + 64 * MIB;

/** An interrupt that comes before DuckDB has begun to work is forgotten by it: it is repeated this often. */
export const INTERRUPT_EVERY_MS = 25;

/** How long a query that failed in the middle of its rows is run again to learn why. */
export const FAILURE_RERUN_MS = 5000;

/** A statement that still runs this long after its interrupt does not look for interrupts: its engine is killed. */
export const STOP_GRACE_MS = 2000;
/** Other clients get the last frames of a dying engine within this. */
export const LAST_WORDS_MS = 100;
/** The main thread of an engine reads frames and rows; one that is stuck this long never comes back. */
export const STALL_MS = 30_000;

/** Characters of a statement: as many as the body of a request has. */
export const STATEMENT_CHARS_MAX = 1024 * 1024;
/** Brackets, CASE and BEGIN inside of each other. DuckDB's own limit of expressions is 1,000. */
export const STATEMENT_DEPTH_MAX = 500;
/** AND and OR: DuckDB's planner takes 0.6 s for 10,000 and four times as long for twice as many. */
export const CONDITIONS_MAX = 10_000;
/** UNION, INTERSECT and EXCEPT: DuckDB takes 0.3 s for 1,000 and seven seconds for 5,000. */
export const SET_OPERATIONS_MAX = 1000;
/** Signs and NOT in a row, each of which is a level of the expression. */
export const PREFIXES_MAX = 500;
