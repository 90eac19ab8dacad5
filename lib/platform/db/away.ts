import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoStalePrimaryError,
  MongoTopologyClosedError,
} from "mongodb";

/** Names of errors if the store is unreachable, or this server's client is closing. */
const AWAY = [
  MongoServerSelectionError,
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoStalePrimaryError,
  MongoTopologyClosedError,
  MongoServerClosedError,
  MongoClientClosedError,
  MongoNotConnectedError,
];
/** Errors of the connection pool; the driver does not export their classes. */
const AWAY_NAMES = ["MongoPoolClosedError", "MongoWaitQueueTimeoutError"];
/** Codes that the driver passes on from the socket if the database goes away during a write. */
const SOCKET_CODES = ["EPIPE", "ECONNRESET"];
/**
 * Codes of a member that steps down, starts, stops or cannot reach the others (the specification "Retryable Writes"),
 * and of cursors that a new process does not know (43).
 */
const AWAY_CODES = [6, 7, 43, 89, 91, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436];
/** Labels of errors after which the request was not executed, or can be repeated; the driver's retries are used up. */
const AWAY_LABELS = [
  MongoErrorLabel.TransientTransactionError,
  MongoErrorLabel.UnknownTransactionCommitResult,
  MongoErrorLabel.RetryableWriteError,
];

/**
 * Returns whether a failure is independent of the request: the store is unreachable or changing, and a retry may soon
 * succeed.
 */
export function isStoreAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (AWAY.some((kind) => error instanceof kind) || AWAY_NAMES.includes(error.name)) return true;
  if (!(error instanceof MongoError)) return isSocketFailure(error);
  if (AWAY_LABELS.some((label) => error.hasErrorLabel(label))) return true;
  if (error instanceof MongoBulkWriteError && isWithoutVerdict(error)) return true;
  return error instanceof MongoServerError && typeof error.code === "number" && AWAY_CODES.includes(error.code);
}

function isSocketFailure(error: NodeJS.ErrnoException): boolean {
  return error.syscall !== undefined && SOCKET_CODES.includes(error.code ?? "");
}

/**
 * Returns whether the error says nothing about the writes: the driver uses this class for a lost connection too, and
 * drops the cause.
 */
function isWithoutVerdict({ code, writeErrors, result }: MongoBulkWriteError): boolean {
  const hasVerdict = typeof code === "number" || result?.getWriteConcernError() !== undefined;
  return !hasVerdict && (Array.isArray(writeErrors) ? writeErrors.length === 0 : writeErrors === undefined);
}
