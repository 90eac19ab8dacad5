import type { SqlDialect } from "./dialects";
import { SQL_KEYWORDS } from "./keywords";

/** Keywords that every database takes for a name, too, and that people give to columns. */
const NAMES_AFTER_ALL = new Set(
  (
    "begin commit copy cursor database date describe explain filter first following glob last materialized merge pivot " +
    "pragma preceding row rows savepoint show similar summarize temp temporary time timestamp transaction truncate " +
    "unbounded unpivot vacuum view"
  ).split(" "),
);

/** A name as it is written in a statement: quoted, as the database quotes, when it is not plain lower case or is reserved. */
export function toSqlName(name: string, dialect: SqlDialect): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name);
  if (isPlain && (!SQL_KEYWORDS.has(name) || NAMES_AFTER_ALL.has(name))) return name;
  // To MySQL a double quote begins a text.
  const quote = dialect === "mysql" ? "`" : '"';
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
}

/** A text as it is written in a statement. */
export function toSqlText(text: string, dialect: SqlDialect): string {
  const isEscaped = dialect === "mysql" || dialect === "clickhouse";
  const inner = isEscaped ? text.replaceAll("\\", "\\\\") : text;
  return `'${inner.replaceAll("'", "''")}'`;
}
