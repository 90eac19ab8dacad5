import "server-only";
import { READ_ONLY_MESSAGE } from "@/lib/base/sql/statement-messages";
import { AppError } from "@/lib/platform/http/errors";
import { redact } from "@/lib/platform/log/redact";
import { stoppedAtLimit } from "../shared/failures";
import { positionOf } from "../shared/text-position";

// Error names of the server (its file StandardErrorCode.java).
const READ_ONLY = "READ_ONLY_VIOLATION";
const TIMEOUTS = new Set(["EXCEEDED_TIME_LIMIT", "EXCEEDED_CPU_LIMIT"]);
const CANCELLED = new Set(["USER_CANCELED", "ADMINISTRATIVELY_KILLED"]);
const AWAY = new Set(["SERVER_SHUTTING_DOWN", "SERVER_STARTING_UP"]);

/** The server's error about a failed statement. Lines and columns count from 1, columns in characters. */
export type TrinoError = {
  message?: string;
  errorCode?: number;
  errorName?: string;
  errorLocation?: { lineNumber: number; columnNumber: number };
};

/** @param query the text that positions refer to */
export function toServerFailure(error: TrinoError, query: string, secrets: readonly string[]): AppError {
  const { message = "No reason given.", errorCode, errorName = "", errorLocation } = error;
  // The details contain the position.
  const words = redact(message.replace(/^line \d+:\d+: /, ""), secrets);
  if (errorName === READ_ONLY) return new AppError("read_only", READ_ONLY_MESSAGE, { cause: new Error(words) });
  if (TIMEOUTS.has(errorName)) return stoppedAtLimit();
  if (CANCELLED.has(errorName)) return new AppError("cancelled", "The query was cancelled by the database.");
  if (AWAY.has(errorName)) return new AppError("source_unreachable", `The database is not accepting queries: ${words}`);
  const place = errorLocation && placeOf(query, errorLocation);
  return new AppError("query_failed", words, { details: { ...(errorCode && { code: errorCode }), ...place } });
}

function placeOf(query: string, { lineNumber, columnNumber }: NonNullable<TrinoError["errorLocation"]>) {
  const lines = query.split("\n");
  const line = lines[lineNumber - 1];
  if (line === undefined || columnNumber < 1) return null;
  const before = lines.slice(0, lineNumber - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return positionOf(
    query,
    before +
      Array.from(line)
        .slice(0, columnNumber - 1)
        .join("").length,
  );
}
