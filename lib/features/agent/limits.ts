const MIB = 1024 * 1024;

/** docs/develop/api.md, Agent. Text of the message that a turn begins with, in bytes; images are bounded by the body's limit. */
export const MESSAGE_TEXT_BYTES_MAX = 64 * 1024;
export const MESSAGE_PARTS_MAX = 100;
/** As many as a body has room for; the client's own history is not read beyond its form. */
export const MESSAGES_MAX = 10_000;
export const TITLE_CHARS_MAX = 200;
/** A title that is made of the first message is read in a narrow list. */
export const OWN_TITLE_CHARS = 60;
export const INSTRUCTIONS_CHARS_MAX = 8000;
export const FEEDBACK_CHARS_MAX = 2000;
export const PLAN_CHARS_MAX = 20_000;

/** T67: a model that calls tools for ever is stopped here. */
export const STEPS_MAX = 20;
/** Of one step. Longer answers than this nobody reads. */
export const OUTPUT_TOKENS_MAX = 8192;
/** A provider that says nothing for so long has gone. Reasoning models are silent for a minute or two. */
export const MODEL_SILENCE_MS = 180_000;

/** T64: of one result to the model; the whole is kept for people. */
export const MODEL_ROWS_MAX = 200;
export const MODEL_RESULT_BYTES_MAX = 32 * 1024;
/** Of one result that is kept to be opened as a grid. */
export const KEPT_ROWS_MAX = 10_000;
export const KEPT_BYTES_MAX = 16 * MIB;
export const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** A query that failed may be mended twice; then a person is asked. */
export const QUERY_REPAIRS_MAX = 2;

/** What of a chat the model is shown, the newest first: about a third of the smallest context window in use. */
export const HISTORY_CHARS_MAX = 200_000;
/** An image counts as this much text. */
export const IMAGE_CHARS = 6000;
/** Messages of a chat: far more than anybody reads again. */
export const CHAT_MESSAGES_MAX = 2000;
/** Of one chat as it is stored; images are the bulk of it. */
export const CHAT_BYTES_MAX = 64 * MIB;

/** Consoles that a request may tell of, and how much of each the model sees. */
export const OPEN_CONSOLES_MAX = 100;
export const CONSOLE_CHARS_MAX = 8000;
export const CONTEXT_CHARS_MAX = 48_000;

/** docs/develop/api.md, Agent: a decision in this time goes on with the turn. */
export const PLAN_WAIT_MS = 5 * 60_000;
export const GRANT_MS = 2 * 60 * 60_000;

/** Comments that keep proxies from ending a stream that waits for a model, a query or a person. */
export const PING_MS = 10_000;
/** What may wait for a slow reader; then the model waits too (F12). */
export const STREAM_BUFFER_BYTES = 256 * 1024;
/** Whoever reads nothing for so long has gone, whatever the socket says. */
export const READER_SILENCE_MS = 60_000;

/** A turn says this often that it goes on; one that has not for three times as long went with its server. */
export const SIGN_OF_LIFE_MS = 15_000;
export const GONE_AFTER_MS = 3 * SIGN_OF_LIFE_MS;
