import { AppError } from "@/lib/platform/http/errors";

/**
 * Statements one below the other, each with its end.
 * @param statements as a database has answered them; what is no text was not told
 * @throws AppError `not_found` when there are none
 */
export function toScript(statements: readonly unknown[], name: string): string {
  const texts = statements.filter((each) => typeof each === "string").map((each) => each.trim());
  if (texts.length === 0) throw noSuchTable(name);
  return texts.map((text) => (text.endsWith(";") ? text : `${text};`)).join("\n\n");
}

/** It was there a moment ago. */
export function noSuchTable(name: string): AppError {
  return new AppError("not_found", `${name} is not there any more. Read the schema anew.`);
}
