import { ShellScript } from "@/lib/base/mongo-shell/statements";
import type { SqlDialect } from "@/lib/base/sql/dialects";
import { SqlScript, type SqlStatement } from "@/lib/base/sql/statements";

/** How the text of a console is read: as the SQL of its engine, or as MongoDB's shell. */
export type ScriptLanguage = SqlDialect | "mongodb";
export type Script = SqlScript | ShellScript;

/** The text of an editor, its cursor and what is selected of it. */
export type EditorReading = { content: string; position: number; selectionFrom: number; selectionTo: number };

/**
 * What Run, Explain and the agent take of a text: the selection, cut into its statements; without one the statement at
 * the cursor. None where there is nothing.
 */
export function pickStatements(reading: EditorReading, language: ScriptLanguage): SqlStatement[] {
  const { content, position, selectionFrom, selectionTo } = reading;
  const script = readScript(content, language);
  if (selectionTo > selectionFrom) return script.within(selectionFrom, selectionTo);
  const statement = script.at(position);
  return statement === null ? [] : [statement];
}

/** The piece of the text that is changed as a whole: the selection, comments included, or the statement at the cursor. */
export function pickRange(reading: EditorReading, language: ScriptLanguage): { from: number; to: number } | null {
  const { content, position, selectionFrom, selectionTo } = reading;
  if (selectionTo > selectionFrom) return { from: selectionFrom, to: selectionTo };
  return readScript(content, language).at(position);
}

/** A text cut into its statements. */
export function readScript(text: string, language: ScriptLanguage): Script {
  return language === "mongodb" ? ShellScript.of(text) : SqlScript.of(text, language);
}
