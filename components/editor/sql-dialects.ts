import { MySQL, PostgreSQL, SQLite, StandardSQL, sql } from "@codemirror/lang-sql";
import type { Extension } from "@codemirror/state";
import type { SqlDialect } from "@/lib/sql/tokens";

/** The words that the editor colours. DuckDB's grammar is PostgreSQL's. */
const DIALECTS: Record<SqlDialect, typeof StandardSQL> = {
  standard: StandardSQL,
  postgres: PostgreSQL,
  duckdb: PostgreSQL,
  mysql: MySQL,
  sqlite: SQLite,
  clickhouse: StandardSQL,
};

/** @param dialect null while the connection is not known */
export function sqlLanguage(dialect: SqlDialect | null): Extension {
  return sql({ dialect: DIALECTS[dialect ?? "standard"] }).language;
}
