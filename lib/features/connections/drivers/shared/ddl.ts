import { AppError } from "@/lib/platform/http/errors";

/**
 * Returns statements separated by blank lines, each with its terminator.
 * @param statements as a database returned them; items that are not text were not readable
 * @throws AppError `not_found` when there are none
 */
export function toScript(statements: readonly unknown[], name: string): string {
  const texts = statements.filter((each) => typeof each === "string").map((each) => each.trim());
  if (texts.length === 0) throw noSuchTable(name);
  return texts.map((text) => (text.endsWith(";") ? text : `${text};`)).join("\n\n");
}

/** Creates the error for a table that existed a moment ago. */
export function noSuchTable(name: string): AppError {
  return new AppError("not_found", `${name} no longer exists. Refresh the schema.`);
}
