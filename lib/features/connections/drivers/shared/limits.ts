/** Bounds that all drivers share. */

const MIB = 1024 * 1024;

/** From the look-up of the name to the end of the sign-in; a host that is there needs a fraction of it. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Five queries at once (docs/develop/api.md, Settings), and one place for the schema tree and tests. */
export const SESSIONS_MAX = 6;
/** A session that nobody needs is closed, so that the database's own slots are not held. */
export const IDLE_SESSION_MS = 60_000;
/** A cancellation that the database has not taken by then is given up, and the session is cut instead. */
export const CANCEL_TIMEOUT_MS = 5000;

/** How much of a result is gathered before it travels on. */
export const BATCH_BYTES_TARGET = MIB;
export const BATCH_ROWS_MAX = 2000;
/** Few at first, so that a slow query shows what it has and a limit of some rows costs no more than those. */
export const FIRST_BATCH_ROWS = 200;

/** A row above this is not taken in at all: reading stops at its announced length. */
export const ROW_BYTES_MAX = 128 * MIB;
/** The same for a result whose cells are limited, in multiples of that limit. */
export const ROW_CELLS_MAX = 4;
