/**
 * Names of the driver's errors while the store is unreachable, or this server's client is closing. Names rather than
 * classes: not all are exported, and a bundle may load another copy of the driver.
 */
const AWAY_NAMES: ReadonlySet<string> = new Set([
  "MongoServerSelectionError",
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoOperationTimeoutError",
  "MongoStalePrimaryError",
  "MongoTopologyClosedError",
  "MongoServerClosedError",
  "MongoClientClosedError",
  "MongoNotConnectedError",
  "MongoExpiredSessionError",
  "MongoPoolClosedError",
  "MongoPoolClearedError",
  "PoolClearedOnNetworkError",
  "MongoWaitQueueTimeoutError",
  // No answer, or a retry that found no server: the driver drops the first error.
  "MongoUnexpectedServerResponseError",
]);
/** Names of errors with a code of the server. */
const SERVER_NAMES: ReadonlySet<string> = new Set([
  "MongoServerError",
  "MongoWriteConcernError",
  "MongoBulkWriteError",
]);
/**
 * Codes of a member that steps down, starts, stops or cannot reach the others (the specification "Retryable Writes"),
 * and of cursors that a new process does not know (43).
 */
const AWAY_CODES: ReadonlySet<unknown> = new Set([
  6, 7, 43, 89, 91, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
]);
/** Labels of errors after which the request was not executed, or can be repeated; the driver's retries are used up. */
const AWAY_LABELS = ["TransientTransactionError", "UnknownTransactionCommitResult", "RetryableWriteError"];
/** Maximum depth of causes: libraries wrap an error once or twice. */
const CAUSES_MAX = 5;

/** An error of the driver, as far as this module reads it. */
type DriverError = Error & { code?: unknown; hasErrorLabel?: (label: string) => boolean };
type BulkWriteError = DriverError & { writeErrors?: unknown; result?: { getWriteConcernError(): unknown } };

/**
 * Returns whether a failure, or its cause, is independent of the request: the store is unreachable or changing, and a
 * retry may soon succeed.
 */
export function isStoreAway(error: unknown): boolean {
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < CAUSES_MAX; depth += 1) {
    // It has a meaning already: a source that is a MongoDB server fails with the same errors.
    if (each.name === "AppError") return false;
    if (isAway(each)) return true;
    each = each.cause;
  }
  return false;
}

function isAway(error: DriverError): boolean {
  if (AWAY_NAMES.has(error.name)) return true;
  if (AWAY_LABELS.some((label) => error.hasErrorLabel?.(label))) return true;
  if (error.name === "MongoBulkWriteError" && isWithoutVerdict(error)) return true;
  return SERVER_NAMES.has(error.name) && AWAY_CODES.has(error.code);
}

/**
 * Returns whether the error says nothing about the writes: the driver uses this class for a lost connection too, and
 * drops the cause.
 */
function isWithoutVerdict({ code, writeErrors, result }: BulkWriteError): boolean {
  const hasVerdict = typeof code === "number" || result?.getWriteConcernError() !== undefined;
  return !hasVerdict && (Array.isArray(writeErrors) ? writeErrors.length === 0 : writeErrors === undefined);
}
