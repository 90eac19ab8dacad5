import { ApiError } from "@/lib/platform/browser/request";

/** A failure as people are told about it. */
export function toMessage(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return "Something stopped this here in the browser. Load the page again.";
}
