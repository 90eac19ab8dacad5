import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";

export const PUBLISHER_LEFT =
  "Who published this app is no member any more, so its rows cannot be read anew. What was read before stays; publish it again as yourself.";
export const BROKE_OFF =
  "The server that read it stopped before the end. What was read before stays; refresh it to read it again.";

/** Returns the error message for users who may see the connection. */
export function wordsOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  log.error({ err: error }, "a binding could not be read for a reason of ours");
  return "The rows could not be read for a reason of ours. It is written down in the server's log.";
}
