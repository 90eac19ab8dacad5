/** Limits of query execution (docs/develop/api.md, Queries and 12). Safe to import in the browser. */

const MIB = 1024 * 1024;

export const ROW_LIMIT_DEFAULT = 1000;
/** Maximum number of rows in a JSON response; streams have no limit. */
export const ROW_LIMIT_MAX = 50_000;
/** Maximum size of the rows of a JSON response, which ends before the row that would exceed it. */
export const ANSWER_BYTES_MAX = 64 * MIB;
/** Maximum number of results in a JSON response. A procedure may return millions, each with thousands of columns. */
export const RESULTS_MAX = 100;
/** Maximum size of a cell in a JSON response, which ends before a row with a larger one. */
export const CELL_BYTES_MAX = 16 * MIB;

export const TIMEOUT_DEFAULT_MS = 60_000;
export const TIMEOUT_MAX_MS = 15 * 60_000;
/** Extra time of the database's timeout, in ms, so that ours applies first. */
export const DATABASE_TIMEOUT_EXTRA_MS = 5000;

/** Two busy servers. */
export const WORKSPACE_QUERIES_MAX = 40;
/** Size from which a JSON response waits for one of the places of large ones. */
export const LARGE_ANSWER_BYTES = 4 * MIB;
/** Concurrent large responses of a workspace: each grows to `ANSWER_BYTES_MAX` in memory, half a gigabyte together. */
export const LARGE_ANSWERS_MAX = 8;
/** Concurrent queries of a connection whose driver names no number: files and web services. */
export const CONNECTION_QUERIES_MAX = 5;
/** Two queries of each of a hundred people. */
export const WORKSPACE_QUEUE_MAX = 200;
/** Queued queries of one person, so that the others find room in the queue. */
export const PERSON_QUEUE_MAX = 50;

/** Maximum sessions for manual transactions of one person: each holds a connection to a database. */
export const PERSON_SESSIONS_MAX = 5;
/** The same of one connection, so that its database keeps room for other queries. */
export const CONNECTION_SESSIONS_MAX = 10;
/** Time after the last statement at which a session ends, in ms. */
export const SESSION_IDLE_MS = 10 * 60_000;
/** The same with an open transaction, which is rolled back. */
export const TRANSACTION_IDLE_MS = 15 * 60_000;

/** Number of characters of a query's text that history stores. */
export const HISTORY_TEXT_CHARS = 10_000;

/** Maximum number of row changes of a request, which hold their locks in one transaction. */
export const ROW_CHANGES_MAX = 500;
/** Maximum length of a value in a row change, in characters. Larger values come from a file or a statement. */
export const CHANGED_VALUE_CHARS_MAX = 1_000_000;
/** Maximum number of columns that a page returns as text to edit: those of the cells that are opened together. */
export const EXACT_COLUMNS_MAX = 20;
/** Maximum number of conflicts that a response shows with their present values. */
export const CONFLICTS_MAX = 50;

/** Maximum length of a cursor of table rows. A request sends it back, and it holds values of the last row. */
export const CURSOR_CHARS_MAX = 65_536;
/** Maximum length of one value in such a cursor. A longer one is read from its row again. */
export const CURSOR_VALUE_CHARS_MAX = 4000;
