import { MariaSQL, MySQL, PostgreSQL, SQLite, StandardSQL, sql } from "@codemirror/lang-sql";
import type { Extension } from "@codemirror/state";

/** The words that the editor colours, by the connection's type. DuckDB's grammar is PostgreSQL's. */
const DIALECTS: Record<string, typeof StandardSQL> = {
  postgres: PostgreSQL,
  duckdb: PostgreSQL,
  mysql: MySQL,
  mariadb: MariaSQL,
  sqlite: SQLite,
};

/** @param connectionType null while the connection is not known */
export function sqlLanguage(connectionType: string | null): Extension {
  return sql({ dialect: DIALECTS[connectionType ?? ""] ?? StandardSQL }).language;
}
