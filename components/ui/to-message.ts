import { ApiError } from "@/lib/platform/browser/request";

/** Returns the message of a failure for users. */
export function toMessage(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return "Something went wrong in the browser. Reload the page.";
}
