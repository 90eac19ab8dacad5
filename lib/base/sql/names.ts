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

/** Reserved by MySQL or MariaDB alone, and names that people give. */
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

/** A name as it is written in a statement: quoted, as the database quotes, when it is not plain lower case or is reserved. */
export function toSqlName(name: string, dialect: SqlDialect): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name) && !(dialect === "mysql" && MYSQL_RESERVED.has(name));
  if (isPlain && (!SQL_KEYWORDS.has(name) || NAMES_AFTER_ALL.has(name))) return name;
  return quoteSqlName(name, dialect);
}

/** A name between quotes, as the database quotes. */
export function quoteSqlName(name: string, dialect: SqlDialect): string {
  // To MySQL a double quote begins a text; to ClickHouse a backslash takes the next letter with it, in names too.
  const quote = dialect === "mysql" ? "`" : '"';
  const inner = dialect === "clickhouse" ? name.replaceAll("\\", "\\\\") : name;
  return `${quote}${inner.replaceAll(quote, quote + quote)}${quote}`;
}

/** A name with those of what it is in, each of them quoted. @param parts from the outside in; undefined for none */
export function toSqlPath(parts: readonly (string | undefined)[], dialect: SqlDialect): string {
  return parts.flatMap((part) => (part ? quoteSqlName(part, dialect) : [])).join(".");
}

/** A text as it is written in a statement. */
export function toSqlText(text: string, dialect: SqlDialect): string {
  const isEscaped = dialect === "mysql" || dialect === "clickhouse";
  const inner = isEscaped ? text.replaceAll("\\", "\\\\") : text;
  return `'${inner.replaceAll("'", "''")}'`;
}
