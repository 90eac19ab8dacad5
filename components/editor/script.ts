import { ShellScript } from "@/lib/base/mongo-shell/statements";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { SqlScript, type SqlStatement } from "@/lib/base/sql/statements";

/** Language of a console's text: an SQL dialect or the MongoDB shell. */
export type ScriptLanguage = SqlDialect | "mongodb";
export type Script = SqlScript | ShellScript;

/** Text of an editor, its cursor and its selection. */
export type EditorReading = { content: string; position: number; selectionFrom: number; selectionTo: number };

/**
 * Returns the statements for Run, Explain and the agent: those of the selection, else the one at the cursor. Empty if
 * there is none.
 */
export function pickStatements(reading: EditorReading, language: ScriptLanguage): SqlStatement[] {
  const { content, position, selectionFrom, selectionTo } = reading;
  const script = readScript(content, language);
  if (selectionTo > selectionFrom) return script.within(selectionFrom, selectionTo);
  const statement = script.at(position);
  return statement === null ? [] : [statement];
}

/** Returns the range that is changed as a whole: the selection with its comments, or the statement at the cursor. */
export function pickRange(reading: EditorReading, language: ScriptLanguage): { from: number; to: number } | null {
  const { content, position, selectionFrom, selectionTo } = reading;
  if (selectionTo > selectionFrom) return { from: selectionFrom, to: selectionTo };
  return readScript(content, language).at(position);
}

/** Splits a text into its statements. */
export function readScript(text: string, language: ScriptLanguage): Script {
  return language === "mongodb" ? ShellScript.of(text) : SqlScript.of(text, language);
}
