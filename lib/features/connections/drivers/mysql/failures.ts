import "server-only";
import { READ_ONLY_MESSAGE } from "@/lib/base/sql/statement-messages";
import { AppError } from "@/lib/platform/http/errors";
import { redact } from "@/lib/platform/log/redact";
import {
  connectionLost,
  noTls,
  notItsProtocol,
  signInFailed,
  stoppedAtLimit,
  TooManyConnections,
  toSourceFailure,
} from "../shared/failures";
import { positionOf, type TextPosition } from "../shared/text-position";

/** The library's errors: server errors have a number, its own errors a code. */
type DriverError = Error & { errno?: number; code?: string; sqlState?: string; sqlMessage?: string };

// The server's error numbers with a special meaning here (its page "Server Error Message Reference").
const TOO_MANY_CONNECTIONS = new Set([1040, 1203, 1226]);
const TIMEOUTS = new Set([3024, 1969]);
const INTERRUPTED = 1317;
const READ_ONLY_TRANSACTION = 1792;
/** Shutdown, killed connections, and the client's codes for a lost connection. */
const LOST = new Set([1053, 1077, 1079, 1080, 1159, 1161, 1184, 1927, 2006, 2013, 4031]);

/** Converts errors from before the session was established. */
export function toConnectFailure(error: unknown, secrets: readonly string[]): AppError {
  if (error instanceof AppError) return error;
  const { errno, code = "", sqlState, message } = asDriverError(error);
  if (errno !== undefined && sqlState !== undefined) {
    if (TOO_MANY_CONNECTIONS.has(errno)) return new TooManyConnections(error);
    return signInFailed(message, secrets, error);
  }
  if (code === "HANDSHAKE_NO_SSL_SUPPORT") return noTls(error);
  if (/^HANDSHAKE_|^AUTH_/.test(code)) return signInFailed(message, secrets, error);
  if (/^PROTOCOL_(?!CONNECTION_LOST)/.test(code) || /packet|protocol|buffer|offset/i.test(message)) {
    return notItsProtocol("MySQL", error);
  }
  const failure = toSourceFailure(code === "PROTOCOL_CONNECTION_LOST" ? closedEarly(error) : error);
  const { details } = failure;
  const isUnclear = details !== undefined && "reason" in details && details.reason === "other";
  return isUnclear ? notItsProtocol("MySQL", error) : failure;
}

/**
 * Converts errors of a running statement.
 * @param query the text that positions refer to
 */
export function toQueryFailure(error: unknown, query: string, secrets: readonly string[]): AppError {
  if (error instanceof AppError) return error;
  const { errno, sqlState, sqlMessage, message } = asDriverError(error);
  if (errno === undefined || sqlState === undefined || LOST.has(errno)) return connectionLost(error);
  if (errno === READ_ONLY_TRANSACTION) return new AppError("read_only", READ_ONLY_MESSAGE, { cause: error });
  if (TIMEOUTS.has(errno)) return stoppedAtLimit(error);
  if (errno === INTERRUPTED) {
    return new AppError("cancelled", "The query was cancelled by the database.", { cause: error });
  }
  return new AppError("query_failed", redact(sqlMessage ?? message, secrets), {
    details: { errno, sqlState, ...placeIn(query, sqlMessage ?? message) },
    cause: error,
  });
}

/**
 * Returns the position of an error. The server says `near 'the rest' at line 3`: the first such text at or after that
 * line.
 */
function placeIn(query: string, message: string): TextPosition | undefined {
  const found = /near '([\s\S]*)' at line (\d+)$/.exec(message);
  if (!found) return undefined;
  const [, near = "", line = "1"] = found;
  const lines = query.split("\n");
  const lineStart = lines.slice(0, Number(line) - 1).join("\n").length + (Number(line) > 1 ? 1 : 0);
  if (near === "") return positionOf(query, query.length);
  const at = query.indexOf(near, lineStart);
  return at < 0 ? positionOf(query, lineStart) : positionOf(query, at);
}

function asDriverError(error: unknown): DriverError {
  return error instanceof Error ? error : new Error(String(error));
}

function closedEarly(cause: unknown): Error {
  return Object.assign(new Error("The connection was closed.", { cause }), { code: "ECONNRESET" });
}
