/** Limits that all drivers share. */

const MIB = 1024 * 1024;

/** Time from the name look-up to the end of the sign-in, in ms; a reachable host needs a fraction of it. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Concurrent queries of a connection to a server, a fifth of the 100 connections that PostgreSQL accepts by default. */
export const SERVER_QUERIES_DEFAULT = 20;
/** Maximum of that setting: as many as a workspace runs at once. */
export const SERVER_QUERIES_MAX = 40;

/**
 * Returns the maximum sessions of a connection: one more than queries, for the schema tree and tests. A lower setting
 * does not reduce them, since flows hold several.
 */
export function sessionsMaxFor(queriesMax: number): number {
  return Math.max(SERVER_QUERIES_DEFAULT, queriesMax) + 1;
}
/** Idle time after which a session is closed, in ms, which releases the database's slot. */
export const IDLE_SESSION_MS = 60_000;
/** Maximum wait for the database to accept a cancellation, in ms; then the session is cut. */
export const CANCEL_TIMEOUT_MS = 5000;

/** Bytes of a result that are collected before a batch is sent. */
export const BATCH_BYTES_TARGET = MIB;
export const BATCH_ROWS_MAX = 2000;
/** Few at first, so that a slow query shows its first rows and a small limit costs no more than its rows. */
export const FIRST_BATCH_ROWS = 200;

/** Maximum bytes of a row: reading stops at the announced length of a larger one. */
export const ROW_BYTES_MAX = 128 * MIB;
/** The same for a result with a cell limit, in multiples of that limit. */
export const ROW_CELLS_MAX = 4;
/**
 * Maximum wait for the server to confirm a cancellation, in ms; after it the cancellation continues in the background.
 */
export const CANCEL_WAIT_MS = 1000;
