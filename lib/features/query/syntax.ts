import type { ObjectId } from "mongodb";
import { blankClauses, findNestedClause, type Mark, openClauses } from "@/lib/base/sql/marks";
import type { Driver, TextError } from "@/lib/features/connections/data-source";
import { checkStatementText, SHORT_CHARS_MAX } from "@/lib/features/connections/drivers/shared/statements/check";
import type { ConsoleSyntax } from "./variables";

/**
 * Values in the place of variables, with at most as many characters as the shortest one, `{{a}}`. The driver binds each
 * in its own way, so a text has an error only if it has one with all of them.
 */
const PLACEHOLDERS = { sql: ["$1", "?", "1", "'a'", "a"], mongodb: ["0", "a"] } as const;

/**
 * Returns an error because of which no statement of a console could run, without running it. Only texts that Millrace
 * itself would refuse have one: an engine may know more than the grammar here.
 * @returns null without an error, and for texts that are not checked
 */
export async function findSyntaxError(
  content: string,
  driver: ConsoleSyntax & Pick<Driver, "findSyntaxError">,
  context: { workspaceId: ObjectId; readOnly: boolean },
): Promise<TextError | null> {
  const { language, dialect = "standard" } = driver;
  if (!driver.findSyntaxError || language === null || content.length > SHORT_CHARS_MAX) return null;
  const tenant = String(context.workspaceId);
  const { marks } = await checkStatementText("variables", { query: content, language, dialect, own: null }, tenant);
  const nested = findNestedClause(marks);
  if (nested) return nested;
  const find = (text: string) => driver.findSyntaxError?.(text, { readOnly: context.readOnly, tenant }) ?? null;
  if (marks.length === 0) return find(content);
  let first: TextError | null = null;
  const whole = openClauses(content, marks);
  for (const placeholder of PLACEHOLDERS[language]) {
    const error = await find(fill(whole, marks, placeholder));
    if (!error) return null;
    first ??= named(error, content, marks, placeholder);
  }
  const required = marks.filter(({ clause }) => !clause);
  if (required.length === marks.length) return first;
  // Without its optional clauses, the text may be right.
  const short = blankClauses(content, marks);
  for (const placeholder of PLACEHOLDERS[language]) {
    if (!(await find(fill(short, required, placeholder)))) return null;
  }
  return first;
}

/** Replaces each variable. The result is as long as the content, so that offsets stay. */
function fill(content: string, marks: readonly Mark[], placeholder: string): string {
  let text = "";
  for (const { start, end } of marks) {
    text = `${text}${content.slice(text.length, start)} ${placeholder}`.padEnd(end);
  }
  return text + content.slice(text.length);
}

/** Returns an error with the variable's name instead of its placeholder. */
function named(error: TextError, content: string, marks: readonly Mark[], placeholder: string): TextError {
  const { message, offset } = error;
  const mark = offset === null ? undefined : marks.find(({ start, end }) => start <= offset && offset < end);
  if (!mark) return error;
  const { start, end } = mark;
  return { message: message.replace(`"${placeholder}"`, content.slice(start, end)), offset: start };
}
