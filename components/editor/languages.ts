import { MySQL, PostgreSQL, SQLDialect, SQLite, StandardSQL, sql } from "@codemirror/lang-sql";
import type { Extension } from "@codemirror/state";
import { editorScript, scriptLanguage } from "@/components/editor/editor-script";
import type { ScriptLanguage } from "@/components/editor/script";
import { shellLanguage } from "@/components/editor/shell-language";
import type { EditorGrammar } from "@/lib/base/sql/dialects/dialect";
import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";

const GRAMMARS: Readonly<Record<EditorGrammar["base"], SQLDialect>> = { MySQL, PostgreSQL, SQLite, StandardSQL };
/** Grammars in use, by dialect: each costs a table of its keywords. */
const grammars = new Map<SqlDialect, SQLDialect>();

function grammarOf(dialect: SqlDialect): SQLDialect {
  const known = grammars.get(dialect);
  if (known) return known;
  const { base, changes } = DIALECTS[dialect].editor;
  const grammar = changes ? SQLDialect.define({ ...GRAMMARS[base].spec, ...changes }) : GRAMMARS[base];
  grammars.set(dialect, grammar);
  return grammar;
}

/** Returns the highlighting of a language, and sets it as the language of the editor's statements. */
export function editorLanguage(language: ScriptLanguage): Extension {
  const colours = language === "mongodb" ? shellLanguage : sql({ dialect: grammarOf(language) }).language;
  return [colours, scriptLanguage.of(language), editorScript];
}
