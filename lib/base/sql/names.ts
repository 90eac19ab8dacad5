import { DIALECTS, type SqlDialect } from "./dialects/registry.ts";
import { SQL_KEYWORDS } from "./keywords.ts";

/** Keywords that every database also accepts as names, and that people use for columns. */
const NAMES_AFTER_ALL = new Set(
  (
    "begin commit copy cursor database date describe explain filter first following glob last materialized merge pivot " +
    "pragma preceding row rows savepoint show similar summarize temp temporary time timestamp transaction truncate " +
    "unbounded unpivot vacuum view"
  ).split(" "),
);

/** Returns a name for a statement: quoted in the dialect if it is not plain lower case, or if it is reserved. */
export function toSqlName(name: string, dialect: SqlDialect): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name) && !DIALECTS[dialect].reserved.has(name);
  if (isPlain && (!SQL_KEYWORDS.has(name) || NAMES_AFTER_ALL.has(name))) return name;
  return quoteSqlName(name, dialect);
}

/**
 * Returns a table for a statement. A list of entities omits the schema of tables that their name alone finds; all others
 * need it.
 */
export function toSqlTable(table: { schema?: string | null | undefined; name: string }, dialect: SqlDialect): string {
  const parts = table.schema == null ? [table.name] : [table.schema, table.name];
  return parts.map((part) => toSqlName(part, dialect)).join(".");
}

/** Returns a name in the database's quotes. */
export function quoteSqlName(name: string, dialect: SqlDialect): string {
  const { quotes } = DIALECTS[dialect].lexical;
  const quote = quotes['"']?.kind === "name" ? '"' : "`";
  const inner = quotes[quote]?.escapes ? name.replaceAll("\\", "\\\\") : name;
  return `${quote}${inner.replaceAll(quote, quote + quote)}${quote}`;
}

/** Returns a qualified name, each part quoted. @param parts from the outside in; undefined parts are left out */
export function toSqlPath(parts: readonly (string | undefined)[], dialect: SqlDialect): string {
  return parts.flatMap((part) => (part ? quoteSqlName(part, dialect) : [])).join(".");
}

/** Returns a text as a string literal. */
export function toSqlText(text: string, dialect: SqlDialect): string {
  const { lexical, toText } = DIALECTS[dialect];
  const quote = (plain: string) => {
    const inner = lexical.quotes["'"]?.escapes ? plain.replaceAll("\\", "\\\\") : plain;
    return `'${inner.replaceAll("'", "''")}'`;
  };
  return toText ? toText(text, quote) : quote(text);
}
