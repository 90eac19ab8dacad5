import { AppError } from "@/lib/platform/http/errors";

/**
 * Refuses texts that would change in transit: half of a surrogate pair has no UTF-8, so the database would get a
 * replacement character instead (T51).
 * @throws AppError `invalid_request`
 */
export function checkText(text: string): string {
  if (text.isWellFormed()) return text;
  throw new AppError("invalid_request", "A text parameter contains an invalid character (lone surrogate).");
}

/** Returns the parameters of an engine without named placeholders. @throws AppError `invalid_request` */
export function positionalParams(
  params: unknown[] | Record<string, unknown> | undefined,
  placeholder: string,
): readonly unknown[] {
  if (params === undefined) return [];
  if (Array.isArray(params)) return params;
  throw new AppError("invalid_request", `params must be an array. This database uses ${placeholder}.`);
}

/**
 * Returns the SQL text of a query. @throws AppError `invalid_request` for an operation object, or text that cannot be
 * sent
 */
export function sqlText(query: string | Record<string, unknown>): string {
  if (typeof query !== "string") throw new AppError("invalid_request", "The query must be SQL text.");
  return checkText(query);
}
