import type { FieldPath, FieldValues } from "react-hook-form";
import { formatCountOf } from "@/lib/platform/browser/format";
import { ApiError } from "@/lib/platform/browser/request";

/**
 * Shows a failure: at its fields if the server names them.
 * @param fieldOf returns the field of a path; default: the field of that name, or the one that contains the path
 * @returns the message for the top of the form; null if every problem is shown at a field
 */
export function placeFailure<T extends FieldValues>(
  error: unknown,
  fields: readonly FieldPath<T>[],
  setError: (field: FieldPath<T>, problem: { message: string }) => void,
  fieldOf: (path: string) => FieldPath<T> | null = (path) => findField(fields, path),
): string | null {
  if (!(error instanceof ApiError)) return "Something went wrong in the browser. Reload the page.";
  const placed = new Map<FieldPath<T>, string>();
  const others = error.problems.filter(({ path, message }) => {
    const field = fieldOf(path);
    // The first problem of a field is the most general one.
    if (field !== null && !placed.has(field)) placed.set(field, message);
    return field === null;
  });
  for (const [field, message] of placed) setError(field, { message });
  if (placed.size > 0 && others.length === 0) return null;
  if (error.status === 429) return `${error.message} ${toWait(error.retryAfterSeconds)}`.trim();
  return error.message;
}

function findField<T extends string>(fields: readonly T[], path: string): T | null {
  return fields.find((field) => path === field || path.startsWith(`${field}.`)) ?? null;
}

function toWait(seconds: number | null): string {
  if (seconds === null) return "";
  if (seconds < 90) return `Try again in ${formatCountOf(Math.max(1, seconds), "second")}.`;
  return `Try again in ${formatCountOf(Math.ceil(seconds / 60), "minute")}.`;
}
