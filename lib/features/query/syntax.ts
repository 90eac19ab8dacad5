import type { ObjectId } from "mongodb";
import type { Driver, TextError } from "@/lib/features/connections/data-source";
import { checkStatementText, SHORT_CHARS_MAX } from "@/lib/features/connections/drivers/shared/statements/check";
import type { ConsoleSyntax } from "./variables";

/** A value in the place of a variable, with at most as many characters as the shortest one, `{{a}}`. */
const PLACEHOLDERS = { sql: "$1", mongodb: "0" } as const;

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
  let text = "";
  for (const { start, end } of marks) {
    // As long as the variable, so that offsets stay.
    text = `${text}${content.slice(text.length, start)} ${PLACEHOLDERS[language]}`.padEnd(end);
  }
  text += content.slice(text.length);
  const error = await driver.findSyntaxError(text, { readOnly: context.readOnly, tenant });
  const { offset = null } = error ?? {};
  const mark = offset === null ? undefined : marks.find(({ start, end }) => start <= offset && offset < end);
  if (!error || !mark) return error;
  const { start, end } = mark;
  return { message: error.message.replace(`"${PLACEHOLDERS[language]}"`, content.slice(start, end)), offset: start };
}
