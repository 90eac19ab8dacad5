import { MySQL, PostgreSQL, SQLDialect, SQLite, StandardSQL, sql } from "@codemirror/lang-sql";
import type { Extension } from "@codemirror/state";
import { editorScript, scriptLanguage } from "@/components/editor/editor-script";
import type { ScriptLanguage } from "@/components/editor/script";
import { shellLanguage } from "@/components/editor/shell-language";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";

const CLICKHOUSE = SQLDialect.define({
  ...StandardSQL.spec,
  backslashEscapes: true,
  hashComments: true,
  slashComments: true,
  doubleDollarQuotedStrings: true,
  identifierQuotes: '`"',
});

/** Dialects for highlighting. DuckDB's grammar is PostgreSQL's. */
const DIALECTS: Record<SqlDialect, typeof StandardSQL> = {
  standard: StandardSQL,
  postgres: PostgreSQL,
  duckdb: PostgreSQL,
  mysql: MySQL,
  sqlite: SQLite,
  clickhouse: CLICKHOUSE,
  trino: StandardSQL,
};

/** Returns the highlighting of a language, and sets it as the language of the editor's statements. */
export function editorLanguage(language: ScriptLanguage): Extension {
  const colours = language === "mongodb" ? shellLanguage : sql({ dialect: DIALECTS[language] }).language;
  return [colours, scriptLanguage.of(language), editorScript];
}
