import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { toAppError } from "@/lib/platform/http/to-app-error";
import { log } from "@/lib/platform/log";

export const PUBLISHER_LEFT =
  "The publisher is no longer a member, so data can't be refreshed. Publish the app as yourself.";
export const BROKE_OFF = "The server stopped during the refresh. Previous rows are kept. Refresh again.";

/** Returns the error message for users who may see the connection. */
export function wordsOf(error: unknown): string {
  const { kind, message } = toAppError(error);
  if (kind !== "internal" || error instanceof AppError) return message;
  log.error({ err: error }, "a binding could not be read because of an internal error");
  return "Internal error while reading the rows. See the server log.";
}
