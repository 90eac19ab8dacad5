import "server-only";
import { AppError } from "@/lib/platform/http/errors";

/** Reason why a permitted address did not answer; part of the error's `details.reason`. */
export type FailureReason = "name" | "refused" | "unreachable" | "closed" | "tls" | "protocol" | "timeout" | "other";

const REASON_OF_CODE: Record<string, FailureReason> = {
  ENOTFOUND: "name",
  ENODATA: "name",
  EAI_AGAIN: "name",
  EAI_FAIL: "name",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  ECONNRESET: "closed",
  ECONNABORTED: "closed",
  EPIPE: "closed",
  UND_ERR_SOCKET: "closed",
  ETIMEDOUT: "timeout",
  EPROTO: "tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls",
  UNABLE_TO_GET_ISSUER_CERT: "tls",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls",
  UND_ERR_HEADERS_OVERFLOW: "protocol",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "protocol",
};
const REASON_OF_PREFIX: [prefix: string, reason: FailureReason][] = [
  ["ERR_TLS", "tls"],
  ["ERR_SSL", "tls"],
  ["CERT_", "tls"],
  ["HPE_", "protocol"],
];

/** Fixed messages, because text from the other side or a driver may contain addresses and secrets (T47). */
const MESSAGES: Record<FailureReason, string> = {
  name: "Host not found. Check the spelling and DNS.",
  refused: "Connection refused. Check the port and that the service is running.",
  unreachable: "The host is unreachable. Check the address and firewalls.",
  closed: "The server closed the connection without a response.",
  tls: "The TLS handshake failed. Check the certificate and that the port uses TLS.",
  protocol: "The response is not valid HTTP.",
  timeout: "Timed out. Check the address and firewalls.",
  other: "The connection failed.",
};

/** Returns the same error for every address that may not be dialled, so that it reveals nothing about the network. */
export function addressRefused(cause?: unknown): AppError {
  return new AppError(
    "address_refused",
    "This address is blocked. Use a public address, or ask the server administrator about ALLOW_PRIVATE_NETWORK.",
    { cause },
  );
}

/** Creates the error for a source that cannot be used. @param cause for the log only */
export function unusableSource(message: string, reason: string, cause?: unknown): AppError {
  return new AppError("source_unreachable", message, { cause, details: { reason } });
}

/** @param cause for the log only */
export function noAnswerInTime(cause?: unknown): AppError {
  return new AppError("timeout", MESSAGES.timeout, { cause, details: { reason: "timeout" } });
}

/** Converts an error of a socket, the name service or the HTTP client into an error for users. */
export function toConnectionFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const inner = findAppError(error);
  if (inner) return inner;
  const reason = failureReason(error);
  if (reason === "timeout") return noAnswerInTime(error);
  return unusableSource(MESSAGES[reason], reason, error);
}

function failureReason(error: unknown): FailureReason {
  // The parser's error has no code.
  if (error instanceof Error && error.name === "HTTPParserError") return "protocol";
  const code = errorCode(error);
  if (code === null) return "other";
  return REASON_OF_CODE[code] ?? REASON_OF_PREFIX.find(([prefix]) => code.startsWith(prefix))?.[1] ?? "other";
}

function errorCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause === undefined ? null : errorCode(error.cause);
}

/** HTTP clients wrap the socket's error. */
function findAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  return error instanceof Error && error.cause !== undefined ? findAppError(error.cause) : null;
}
