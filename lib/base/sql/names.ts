import type { SqlDialect } from "./dialects/registry";
import { SQL_KEYWORDS } from "./keywords";

/** Keywords that every database also accepts as names, and that people use for columns. */
const NAMES_AFTER_ALL = new Set(
  (
    "begin commit copy cursor database date describe explain filter first following glob last materialized merge pivot " +
    "pragma preceding row rows savepoint show similar summarize temp temporary time timestamp transaction truncate " +
    "unbounded unpivot vacuum view"
  ).split(" "),
);

/** Words reserved by MySQL or MariaDB alone that people use as names. */
const MYSQL_RESERVED = new Set(
  (
    "accessible analyze asensitive before bigint both cascade change char character condition continue cube cume_dist " +
    "databases day_hour day_minute day_second dec declare delayed deterministic div double dual each elseif empty enclosed " +
    "escaped exit explain first_value float force fulltext function generated get grant groups grouping high_priority " +
    "hour_minute hour_second if ignore index infile inout insensitive int integer interval iterate key keys kill lag " +
    "last_value lateral lead leading leave linear lines load localtime lock long loop low_priority match maxvalue mod " +
    "modifies nth_value ntile numeric of offset optimize option optionally out outfile over partition percent_rank " +
    "precision procedure purge range rank read reads real recursive regexp release rename repeat replace require resignal " +
    "return revoke rlike row row_number rows schema schemas sensitive separator show signal smallint spatial specific sql " +
    "ssl starting stored straight_join system terminated tinyint trailing trigger undo unlock unsigned usage use utc_date " +
    "utc_time varchar varying virtual while window write xor year_month zerofill"
  ).split(" "),
);

/** Returns a name for a statement: quoted in the dialect if it is not plain lower case, or if it is reserved. */
export function toSqlName(name: string, dialect: SqlDialect): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name) && !(dialect === "mysql" && MYSQL_RESERVED.has(name));
  if (isPlain && (!SQL_KEYWORDS.has(name) || NAMES_AFTER_ALL.has(name))) return name;
  return quoteSqlName(name, dialect);
}

/** Returns a name in the database's quotes. */
export function quoteSqlName(name: string, dialect: SqlDialect): string {
  // In MySQL a double quote starts a text; in ClickHouse a backslash escapes the next letter, in names too.
  const quote = dialect === "mysql" ? "`" : '"';
  const inner = dialect === "clickhouse" ? name.replaceAll("\\", "\\\\") : name;
  return `${quote}${inner.replaceAll(quote, quote + quote)}${quote}`;
}

/** Returns a qualified name, each part quoted. @param parts from the outside in; undefined parts are left out */
export function toSqlPath(parts: readonly (string | undefined)[], dialect: SqlDialect): string {
  return parts.flatMap((part) => (part ? quoteSqlName(part, dialect) : [])).join(".");
}

/** Returns a text as a string literal. */
export function toSqlText(text: string, dialect: SqlDialect): string {
  const isEscaped = dialect === "mysql" || dialect === "clickhouse";
  const inner = isEscaped ? text.replaceAll("\\", "\\\\") : text;
  return `'${inner.replaceAll("'", "''")}'`;
}
