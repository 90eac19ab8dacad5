import { ShellScript } from "@/lib/shell/statements";
import type { SqlDialect } from "@/lib/sql/dialects";
import { SqlScript } from "@/lib/sql/statements";

/** How the text of a console is read: as the SQL of its engine, or as MongoDB's shell. */
export type ScriptLanguage = SqlDialect | "mongodb";
export type Script = SqlScript | ShellScript;

/** A text cut into its statements. */
export function readScript(text: string, language: ScriptLanguage): Script {
  return language === "mongodb" ? ShellScript.of(text) : SqlScript.of(text, language);
}
