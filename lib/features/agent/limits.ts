const MIB = 1024 * 1024;

/**
 * docs/develop/api.md, Agent. Maximum text of the message that starts a turn, in bytes; the body's limit covers images.
 */
export const MESSAGE_TEXT_BYTES_MAX = 64 * 1024;
export const MESSAGE_PARTS_MAX = 100;
/** As many as fit into a body. Of the client's own history, only the form is validated. */
export const MESSAGES_MAX = 10_000;
export const TITLE_CHARS_MAX = 200;
/** Maximum length of a title from the first message: lists are narrow. */
export const OWN_TITLE_CHARS = 60;
export const INSTRUCTIONS_CHARS_MAX = 8000;
export const FEEDBACK_CHARS_MAX = 2000;
export const PLAN_CHARS_MAX = 20_000;

/** T67: stops a model that calls tools endlessly. */
export const STEPS_MAX = 20;
/** Maximum output of one step: no one reads longer answers. */
export const OUTPUT_TOKENS_MAX = 8192;
/** Silence after which a provider counts as gone, in ms. Reasoning models are silent for a minute or two. */
export const MODEL_SILENCE_MS = 180_000;

/** T64: maximum rows of one result for the model; all are stored for the user. */
export const MODEL_ROWS_MAX = 200;
export const MODEL_RESULT_BYTES_MAX = 32 * 1024;
/** Maximum rows of one stored result, which opens as a grid. */
export const KEPT_ROWS_MAX = 10_000;
export const KEPT_BYTES_MAX = 16 * MIB;
export const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** Maximum attempts to repair a failed query. After them, the agent asks the user. */
export const QUERY_REPAIRS_MAX = 2;

/**
 * Maximum length of the chat history for the model, newest first: about a third of the smallest context window in use.
 */
export const HISTORY_CHARS_MAX = 200_000;
/** Number of characters that an image counts for. */
export const IMAGE_CHARS = 6000;
/** Maximum messages of a chat: far more than anyone reads again. */
export const CHAT_MESSAGES_MAX = 2000;
/** Maximum stored size of one chat; images are most of it. */
export const CHAT_BYTES_MAX = 64 * MIB;

/** Maximum number of open consoles in a request, and maximum length of each for the model. */
export const OPEN_CONSOLES_MAX = 100;
export const CONSOLE_CHARS_MAX = 8000;
export const CONTEXT_CHARS_MAX = 48_000;

/** Time in which a decision on a plan continues the turn (docs/develop/api.md, Agent). */
export const PLAN_WAIT_MS = 5 * 60_000;
/** Time for a person to approve a call at their MCP client, in ms. Most clients give up on a call after a minute. */
export const MCP_APPROVAL_MS = 55_000;
export const GRANT_MS = 2 * 60 * 60_000;

/** Interval of comments that keep proxies from closing a stream that waits for a model, a query or a user, in ms. */
export const PING_MS = 10_000;
/** Maximum size of the buffer for a slow reader. Once it is full, the model waits too (F12). */
export const STREAM_BUFFER_BYTES = 256 * 1024;
/** Silence after which a reader counts as gone, in ms, even if its socket is open. */
export const READER_SILENCE_MS = 60_000;

/**
 * Time in which an answer that ended without a store waits for it, in ms; restarts of a store take seconds. After it,
 * the chat keeps the steps that were stored.
 */
export const STORE_WAIT_MS = 120_000;
/** Pause between two attempts to store it, in ms. */
export const STORE_RETRY_MS = 1_000;
