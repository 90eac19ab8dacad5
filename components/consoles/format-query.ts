import type { SqlLanguage } from "sql-formatter";
import { announce } from "@/components/ui/live-region";
import { showFailure } from "@/components/ui/toast";
import type { EditorMemory } from "@/components/workspace/editor-memory";
import type { SqlDialect } from "@/lib/sql/dialects";

const LANGUAGES: Record<SqlDialect, SqlLanguage> = {
  standard: "sql",
  postgres: "postgresql",
  duckdb: "duckdb",
  mysql: "mysql",
  sqlite: "sqlite",
  clickhouse: "clickhouse",
  trino: "trino",
};
/** The variables of a console are names to the formatter, as they are to the database. */
const VARIABLES = { custom: [{ regex: String.raw`\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\}` }] };

/** Lays out the query in the editor, or what is selected of it: one step to undo. */
export async function formatQuery(
  editors: EditorMemory,
  dialect: SqlDialect,
  language: "sql" | "mongodb",
): Promise<void> {
  const editor = editors.active;
  if (editor === null) return;
  if (language === "mongodb") {
    announce("Only SQL can be formatted.", true);
    return;
  }
  const { format } = await import("sql-formatter");
  const { content, selectionFrom, selectionTo } = editor.read();
  const hasSelection = selectionTo > selectionFrom;
  const text = hasSelection ? content.slice(selectionFrom, selectionTo) : content;
  try {
    const formatted = format(text, {
      language: LANGUAGES[dialect],
      tabWidth: 2,
      keywordCase: "preserve",
      paramTypes: VARIABLES,
    });
    if (formatted === text) announce("The query is formatted already.");
    else if (hasSelection) editor.replace(selectionFrom, selectionTo, formatted);
    else editor.rewrite(formatted);
  } catch {
    showFailure("The query cannot be formatted: a quote or a bracket is not closed. It stays as it is.");
  }
}
