import "server-only";
import { MongoError, MongoNetworkError, MongoParseError, MongoServerError, MongoServerSelectionError } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { redact } from "@/lib/platform/log/redact";
import { addressRefused, noAnswerInTime } from "@/lib/platform/net/failures";
import { connectionLost, notItsProtocol, signInFailed, stoppedAtLimit, toSourceFailure } from "../shared/failures";

// Error codes of the server (its page "Error Codes").
const SIGN_IN = new Set([18, 11, 334]);
const TIMEOUTS = new Set([50, 262]);
const INTERRUPTED = new Set([11601, 11602, 237]);
const NOT_PERMITTED = 13;
const CONVERSION_FAILURE = 241;

/** Converts errors of the library or the server, while connecting or while running. */
export function toFailure(error: unknown, secrets: readonly string[]): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof MongoServerSelectionError) return toSelectionFailure(error, secrets);
  if (error instanceof MongoServerError) return toServerFailure(error, secrets);
  if (error instanceof MongoNetworkError) return connectionLost(error);
  if (error instanceof MongoParseError || (error instanceof MongoError && /Invalid|Missing/.test(error.name))) {
    return new AppError("invalid_request", redact(error.message, secrets), { cause: error });
  }
  if (error instanceof MongoError) return connectionLost(error);
  // Values that BSON cannot hold, found while encoding them.
  return new AppError("query_failed", redact(error instanceof Error ? error.message : String(error), secrets), {
    cause: error,
  });
}

function toServerFailure(error: MongoServerError, secrets: readonly string[]): AppError {
  // A Long or Double object of the library, since values are not simplified.
  const code = Number(error.code ?? 0);
  const message = redact(error.message, secrets);
  if (SIGN_IN.has(code)) return signInFailed(error.message, secrets, error);
  if (TIMEOUTS.has(code)) return stoppedAtLimit(error);
  if (INTERRUPTED.has(code)) {
    return new AppError("cancelled", "The query was cancelled by the database.", { cause: error });
  }
  const hint = hintOf(code, error.message);
  return new AppError("query_failed", message, {
    details: { code, ...(error.codeName && { codeName: error.codeName }), ...(hint !== null && { hint }) },
    cause: error,
  });
}

function hintOf(code: number, message: string): string | null {
  if (code === NOT_PERMITTED) return "Grant this user the required privilege.";
  const isOldServer = code === CONVERSION_FAILURE && /from binData to string/.test(message);
  return isOldServer ? "MongoDB 8.0 and later can search binary values." : null;
}

/** Converts a failed server selection: the reason is the first server's error. */
function toSelectionFailure(error: MongoServerSelectionError, secrets: readonly string[]): AppError {
  const servers = [...(error.reason?.servers.values() ?? [])];
  const cause = servers.map((server) => server.error).find((each) => each !== null && each !== undefined);
  if (!cause) return noAnswerInTime(error);
  if (cause instanceof MongoServerError) return toServerFailure(cause, secrets);
  const words = wordsOf(cause);
  // The egress proxy's reply to the library.
  if (/NotAllowed/.test(words)) return addressRefused(error);
  if (/ConnectionRefused/.test(words)) return toSourceFailure(withCode("ECONNREFUSED", error));
  if (/HostUnreachable|Failure/.test(words)) return toSourceFailure(withCode("EHOSTUNREACH", error));
  if (/timed out|timeout/i.test(words)) return noAnswerInTime(error);
  if (/certificate|SSL|TLS|self.signed/i.test(words)) return toSourceFailure(withCode("EPROTO", error));
  if (/Invalid message size|BSON|opcode|out of range/i.test(words)) return notItsProtocol("MongoDB", error);
  return toSourceFailure(withCode("ECONNRESET", error));
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const code = "code" in error ? String(error.code) : "";
  return `${error.message} ${code} ${wordsOf(error.cause)}`;
}

function withCode(code: string, cause: unknown): Error {
  return Object.assign(new Error(code, { cause }), { code });
}
