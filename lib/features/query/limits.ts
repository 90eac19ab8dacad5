/** Bounds of query execution (docs/develop/api.md, Queries and 12). Safe to import in the browser. */

const MIB = 1024 * 1024;

export const ROW_LIMIT_DEFAULT = 1000;
/** Rows of a JSON answer at the most; streams have no cap. */
export const ROW_LIMIT_MAX = 50_000;
/** A JSON answer ends before the row that would make its rows larger than this. */
export const ANSWER_BYTES_MAX = 64 * MIB;
/** Results that a JSON answer lists. A procedure may return millions, each with thousands of columns. */
export const RESULTS_MAX = 100;
/** A JSON answer ends before a row with a larger cell. */
export const CELL_BYTES_MAX = 16 * MIB;

export const TIMEOUT_DEFAULT_MS = 60_000;
export const TIMEOUT_MAX_MS = 15 * 60_000;
/** The database's own guard is this much later, so that it is ours that answers. */
export const DATABASE_TIMEOUT_EXTRA_MS = 5000;

export const WORKSPACE_QUERIES_MAX = 10;
export const CONNECTION_QUERIES_MAX = 5;
export const WORKSPACE_QUEUE_MAX = 50;

/** What history keeps of a query's text. */
export const HISTORY_TEXT_CHARS = 10_000;

/** Characters of a cursor of table rows. It goes back in a request and holds values of the last row. */
export const CURSOR_CHARS_MAX = 65_536;
/** Characters of one value in such a cursor. A longer one is read from its row again. */
export const CURSOR_VALUE_CHARS_MAX = 4000;
