import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { isSameSql } from "@/lib/base/sql/layout";
import { later } from "@/lib/platform/browser/load-again";

const loadFormatter = later(() => import("sql-formatter"));

/** The formatter treats the variables of a console as names, as the database does. */
const VARIABLES = { custom: [{ regex: String.raw`\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\}` }] };

/** Formats SQL; returns null if the formatter cannot parse it, or if the result would not be the same SQL. */
export async function layOut(text: string, dialect: SqlDialect): Promise<string | null> {
  const { format } = await loadFormatter();
  try {
    const formatted = format(text, {
      language: DIALECTS[dialect].formatter,
      tabWidth: 2,
      keywordCase: "preserve",
      paramTypes: VARIABLES,
    });
    return isSameSql(text, formatted, dialect) ? formatted : null;
  } catch {
    return null;
  }
}
