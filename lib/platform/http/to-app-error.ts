import { isStoreAway } from "@/lib/platform/db/away";
import { isFullDisk } from "@/lib/platform/db/full-disk";
import { isNewerSchema } from "@/lib/platform/db/newer-schema";
import { log } from "@/lib/platform/log";
import { AppError } from "./errors";

/** Delay until an unreachable store is usually back: it restarts within a second or two. */
export const STORE_RETRY_AFTER_SECONDS = 2;
/** An operator must start another version first. */
const SCHEMA_RETRY_AFTER_SECONDS = 60;
const INTERNAL_MESSAGE = "Internal error. Try again. If it persists, contact support with the request ID.";

/**
 * Returns the message of a failure for users who may see its source; an unexpected one is logged.
 * @param context for the log
 * @param internal message of an unexpected failure
 */
export function messageOf(thrown: unknown, context: string, internal: string): string {
  const { kind, message } = toAppError(thrown);
  if (kind !== "internal" || thrown instanceof AppError) return message;
  log.error({ err: thrown }, context);
  return internal;
}

/** Returns a failure as an error for callers; `internal`, with one fixed sentence, for everything unexpected. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isStoreAway(thrown)) {
    return new AppError("unavailable", "The database is unavailable. Try again in a moment.", {
      cause: thrown,
      retryAfterSeconds: STORE_RETRY_AFTER_SECONDS,
    });
  }
  if (isNewerSchema(thrown)) {
    return new AppError("unavailable", thrown.message, {
      cause: thrown,
      retryAfterSeconds: SCHEMA_RETRY_AFTER_SECONDS,
    });
  }
  if (isFullDisk(thrown)) {
    return new AppError(
      "storage_full",
      "The server's disk is full. Nothing was saved. Free some space and try again.",
      {
        cause: thrown,
      },
    );
  }
  return new AppError("internal", INTERNAL_MESSAGE, { cause: thrown });
}
