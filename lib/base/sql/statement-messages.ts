/* Rejections of statements that every driver and engine words alike. */

export const READ_ONLY_MESSAGE = "This connection is read-only. It can't change data.";
export const ONE_STATEMENT_MESSAGE = "Only one statement at a time is allowed.";
export const EMPTY_STATEMENT_MESSAGE = "The query is empty.";
export const OWN_TRANSACTION_MESSAGE =
  "Each statement runs in its own transaction. BEGIN, COMMIT and ROLLBACK are not supported.";
export const OWN_FILE_MESSAGE =
  "This connection can access only its own file, not other files, databases or extensions.";
