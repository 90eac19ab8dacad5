import type { FieldPath, FieldValues, UseFormSetError } from "react-hook-form";
import { formatCountOf } from "@/lib/platform/browser/format";
import { ApiError } from "@/lib/platform/browser/request";

/**
 * Shows a failure: at its fields if the server names them.
 * @returns the message for the top of the form; null if every problem is shown at a field
 */
export function placeFailure<T extends FieldValues>(
  error: unknown,
  fields: FieldPath<T>[],
  setError: UseFormSetError<T>,
): string | null {
  if (!(error instanceof ApiError)) return "Something went wrong in the browser. Reload the page.";
  const placed = error.problems.filter(({ path }) => fields.some((field) => field === path));
  for (const { path, message } of placed) {
    const field = fields.find((each) => each === path);
    if (field) setError(field, { message }, { shouldFocus: true });
  }
  if (placed.length > 0 && placed.length === error.problems.length) return null;
  if (error.status === 429) return `${error.message} ${toWait(error.retryAfterSeconds)}`.trim();
  return error.message;
}

function toWait(seconds: number | null): string {
  if (seconds === null) return "";
  if (seconds < 90) return `Try again in ${formatCountOf(Math.max(1, seconds), "second")}.`;
  return `Try again in ${formatCountOf(Math.ceil(seconds / 60), "minute")}.`;
}
