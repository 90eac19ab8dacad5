import { MySQL, PostgreSQL, SQLDialect, SQLite, StandardSQL, sql } from "@codemirror/lang-sql";
import type { Extension } from "@codemirror/state";
import { sqlDialect, sqlScript } from "@/components/editor/sql-script";
import type { SqlDialect } from "@/lib/sql/dialects";

const CLICKHOUSE = SQLDialect.define({
  ...StandardSQL.spec,
  backslashEscapes: true,
  hashComments: true,
  slashComments: true,
  doubleDollarQuotedStrings: true,
  identifierQuotes: '`"',
});

/** The words that the editor colours. DuckDB's grammar is PostgreSQL's. */
const DIALECTS: Record<SqlDialect, typeof StandardSQL> = {
  standard: StandardSQL,
  postgres: PostgreSQL,
  duckdb: PostgreSQL,
  mysql: MySQL,
  sqlite: SQLite,
  clickhouse: CLICKHOUSE,
  trino: StandardSQL,
};

/** What colours the words of a dialect, and cuts the text as it says for the other parts of the editor. */
export function sqlLanguage(dialect: SqlDialect): Extension {
  return [sql({ dialect: DIALECTS[dialect] }).language, sqlDialect.of(dialect), sqlScript];
}
