import "server-only";
import { isIP } from "node:net";
import { AppError } from "@/lib/platform/http/errors";
import { redact } from "@/lib/platform/log/redact";
import type { TlsChoice } from "@/lib/platform/net/connect";
import { toConnectionFailure, unusableSource } from "@/lib/platform/net/failures";
import type { SslMode } from "./config";

/**
 * Creates the error for a server of another kind. The sentence is fixed, since a driver's message may contain secrets.
 */
export function notItsProtocol(product: string, cause?: unknown): AppError {
  return unusableSource(`The server at this address is not ${product}. Check the host and port.`, "protocol", cause);
}

/** The server's refusal of one more connection. */
export class TooManyConnections extends AppError {
  constructor(cause: unknown) {
    super("source_unreachable", "The database has too many connections. Close some, or raise its limit.", { cause });
  }
}

export function connectionLost(cause?: unknown): AppError {
  return unusableSource("The connection to the database was lost. Run the query again.", "closed", cause);
}

const NO_TLS = "no_tls";

export function noTls(cause?: unknown): AppError {
  return unusableSource("The database does not support TLS. Enable it there, or turn TLS off here.", NO_TLS, cause);
}

/** Returns whether an error says that the server supports no TLS at all; false for a rejected certificate. */
export function isNoTls({ details }: AppError): boolean {
  return details !== undefined && "reason" in details && details.reason === NO_TLS;
}

const TIME_LIMIT = "time_limit";

/** Creates the error for a statement that the database stopped at its time limit. */
export function stoppedAtLimit(cause?: unknown): AppError {
  return new AppError("timeout", "The query reached the database's time limit.", {
    cause,
    details: { reason: TIME_LIMIT },
  });
}

export function isStoppedAtLimit(error: unknown): boolean {
  if (!(error instanceof AppError) || error.details === undefined) return false;
  return "reason" in error.details && error.details.reason === TIME_LIMIT;
}

/**
 * Creates the error for a failed sign-in.
 * @param message the database's message; secrets in it are masked (T47)
 */
export function signInFailed(message: string, secrets: readonly string[], cause?: unknown): AppError {
  return unusableSource(`Authentication failed: ${redact(message, secrets)}`, "sign_in", cause);
}

/** Converts a socket error, including AppErrors of the egress proxy. */
export function toSourceFailure(error: unknown): AppError {
  return toConnectionFailure(error);
}

export function tooLargeRow(bytesMax: number): AppError {
  return new AppError(
    "query_failed",
    `A row is larger than ${bytesMax / 1024 / 1024} MiB. Select fewer columns or use substring.`,
  );
}

/** Returns the TLS options. `require` encrypts without checking the certificate, as PostgreSQL's clients do. */
export function tlsChoice(ssl: SslMode, host: string): (TlsChoice & { servername?: string }) | undefined {
  if (ssl === "disable") return undefined;
  return { rejectUnauthorized: ssl === "verify-full", ...(isIP(host) === 0 && { servername: host }) };
}
