import "server-only";
import { messageOf } from "@/lib/platform/http/to-app-error";

export const PUBLISHER_LEFT =
  "The publisher is no longer a member, so data can't be refreshed. Publish the app as yourself.";
export const BROKE_OFF = "The server stopped during the refresh. Previous rows are kept. Refresh again.";

/** Returns the error message for users who may see the connection. */
export function wordsOf(error: unknown): string {
  return messageOf(
    error,
    "a binding could not be read because of an internal error",
    "Internal error while reading the rows. See the server log.",
  );
}
