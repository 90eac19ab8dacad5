import type { FieldPath, FieldValues, UseFormSetError } from "react-hook-form";
import { ApiError } from "@/lib/client/api";

/**
 * Puts a failure where it belongs: at its fields when the server names them.
 * @returns what to say above the form; null when every problem stands at a field
 */
export function placeFailure<T extends FieldValues>(
  error: unknown,
  fields: FieldPath<T>[],
  setError: UseFormSetError<T>,
): string | null {
  if (!(error instanceof ApiError)) return "Something stopped the form here in the browser. Load the page again.";
  const placed = error.problems.filter(({ path }) => fields.some((field) => field === path));
  for (const { path, message } of placed) {
    const field = fields.find((each) => each === path);
    if (field) setError(field, { message }, { shouldFocus: true });
  }
  if (placed.length > 0 && placed.length === error.problems.length) return null;
  if (error.status === 429) return `${error.message} ${toWait(error.retryAfterSeconds)}`.trim();
  return error.message;
}

/** What the server says of single fields, of what is wrong inside them too; empty when it says nothing of them. */
export function problemsOf<Name extends string>(
  error: unknown,
  fields: readonly Name[],
): Partial<Record<Name, string>> {
  const problems = error instanceof ApiError ? error.problems : [];
  const said: Partial<Record<Name, string>> = {};
  for (const field of fields) {
    const message = problems.find(({ path }) => path.split(".")[0] === field)?.message;
    if (message !== undefined) said[field] = message;
  }
  return said;
}

function toWait(seconds: number | null): string {
  if (seconds === null) return "";
  if (seconds < 90) return `You can try again in ${Math.max(1, seconds)} seconds.`;
  return `You can try again in ${Math.ceil(seconds / 60)} minutes.`;
}
