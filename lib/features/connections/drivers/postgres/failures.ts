import "server-only";
import { DatabaseError } from "pg";
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
import { positionOfCharacter } from "../shared/text-position";

/** Maximum names in the hint: `Perhaps you meant to reference the column "orders.id" or the column "orders.uid".` */
const CANDIDATES_MAX = 10;

/** Converts errors from before the session was established. */
export function toConnectFailure(error: unknown, secrets: readonly string[]): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? "";
    // The parser throws one of these, without a code, for a message outside of the protocol.
    if (code === "") return notItsProtocol("PostgreSQL", error);
    if (code === "53300") return new TooManyConnections(error);
    return signInFailed(error.message, secrets, error);
  }
  const message = error instanceof Error ? error.message : "";
  if (message.includes("does not support SSL")) return noTls(error);
  if (message.includes("establishing an SSL connection")) return notItsProtocol("PostgreSQL", error);
  if (/SASL|SCRAM|password must be/i.test(message)) return signInFailed(message, secrets, error);
  const failure = toSourceFailure(error);
  const isUnclear = failure.kind === "source_unreachable" && !hasClearReason(failure);
  return isUnclear ? notItsProtocol("PostgreSQL", error) : failure;
}

/**
 * Converts errors of a running statement.
 * @param query the text that positions refer to
 */
export function toQueryFailure(error: unknown, query: string, secrets: readonly string[]): AppError {
  if (error instanceof AppError) return error;
  if (!(error instanceof DatabaseError)) return connectionLost(error);
  const code = error.code ?? "";
  const message = redact(error.message, secrets);
  if (code === "25006") return new AppError("read_only", READ_ONLY_MESSAGE, { cause: error });
  if (code === "57014") {
    return error.message.includes("timeout")
      ? stoppedAtLimit(error)
      : new AppError("cancelled", "The query was cancelled by the database.", { cause: error });
  }
  // Class 08 is about the connection, except the last: values that do not match the placeholders.
  const isLost = /^57P0[1-5]$/.test(code) || (code.startsWith("08") && code !== "08P01");
  if (isLost || (code === "" && error.severity === undefined)) return connectionLost(error);
  const details = {
    ...(code !== "" && { sqlState: code }),
    ...(error.detail !== undefined && { detail: redact(error.detail, secrets) }),
    ...(error.hint !== undefined && { hint: redact(error.hint, secrets) }),
    ...(error.position !== undefined && positionOfCharacter(query, Number(error.position))),
    ...candidatesOf(error.hint),
  };
  return new AppError("query_failed", message, { details, cause: error });
}

function candidatesOf(hint: string | undefined): { candidates: string[] } | undefined {
  if (hint === undefined || !/^Perhaps you meant/.test(hint)) return undefined;
  const names = [...hint.matchAll(/"((?:[^"]|"")+)"/g)].map((match) => (match[1] ?? "").split(".").at(-1) ?? "");
  return names.length > 0 ? { candidates: [...new Set(names)].slice(0, CANDIDATES_MAX) } : undefined;
}

function hasClearReason(failure: AppError): boolean {
  const { details } = failure;
  return details !== undefined && "reason" in details && details.reason !== "other" && details.reason !== "protocol";
}
