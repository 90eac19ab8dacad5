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

/** The store cannot be reached, or this server's client is being closed. */
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
/** Of the connection pool; the driver does not export their classes. */
const AWAY_NAMES = ["MongoPoolClosedError", "MongoWaitQueueTimeoutError"];
/** What the driver passes on as the socket said it, when a write meets a store that has just gone. */
const SOCKET_CODES = ["EPIPE", "ECONNRESET"];
/**
 * A member that steps down, starts, stops or cannot reach the others (the specification "Retryable Writes"), and what
 * a new process does not know of the one before: its cursors (43).
 */
const AWAY_CODES = [6, 7, 43, 89, 91, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436];
/** Nothing was done, or it may simply be done again; the driver has tried as often as it may. */
const AWAY_LABELS = [
  MongoErrorLabel.TransientTransactionError,
  MongoErrorLabel.UnknownTransactionCommitResult,
  MongoErrorLabel.RetryableWriteError,
];

/** True for failures that say nothing of the request: the store is away or changing, and the same may work in a moment. */
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

/** The driver puts a lost connection of a bulk write into this class too, and lets go of what it was. */
function isWithoutVerdict({ code, writeErrors, result }: MongoBulkWriteError): boolean {
  const hasVerdict = typeof code === "number" || result?.getWriteConcernError() !== undefined;
  return !hasVerdict && (Array.isArray(writeErrors) ? writeErrors.length === 0 : writeErrors === undefined);
}
