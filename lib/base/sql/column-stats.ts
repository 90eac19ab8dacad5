import type { ConditionKind } from "./conditions";
import { DIALECTS, type SqlDialect } from "./dialects/registry";
import { toSqlName } from "./names";

/** A column of a statement's result. */
export type StatsColumn = { name: string; kind: ConditionKind };

/**
 * Returns the query for one row of statistics of a column: `total`, `filled` and `different` values; `least` and `most`
 * if the values have an order; `average` and `total_sum` of numbers.
 */
export function toStatsQuery(statement: string, { name, kind }: StatsColumn, dialect: SqlDialect): string {
  const column = toSqlName(name, dialect);
  const isOrdered = kind !== "other" && kind !== "boolean";
  const parts = [
    "count(*) as total",
    `count(${column}) as filled`,
    `count(distinct ${toCountable(column, kind, dialect)}) as different`,
    ...(isOrdered ? [`min(${column}) as least`, `max(${column}) as most`] : []),
    ...(kind === "number" ? [`avg(${column}) as average`, `sum(${column}) as total_sum`] : []),
  ];
  return `select ${parts.join(", ")}\n${toSource(statement)}`;
}

/** Returns the query for the most frequent values: `value`, and `occurrences`. */
export function toTopQuery(statement: string, { name, kind }: StatsColumn, dialect: SqlDialect, limit: number): string {
  const column = toSqlName(name, dialect);
  const value = toCountable(column, kind, dialect);
  return `select ${value} as value, count(*) as occurrences\n${toSource(statement)}\nwhere ${column} is not null\ngroup by ${value}\norder by 2 desc, 1\nlimit ${limit}`;
}

/** Returns the query for a histogram of numbers: the number of a bar, from 0, and `occurrences`. */
export function toBarsQuery(
  statement: string,
  name: string,
  { least, most, bars }: { least: number; most: number; bars: number },
  dialect: SqlDialect,
): string {
  const column = toSqlName(name, dialect);
  const bar = `floor((${column} - ${toLiteral(least)}) / ${toLiteral((most - least) / bars)})`;
  return `select ${bar} as bar, count(*) as occurrences\n${toSource(statement)}\nwhere ${column} is not null\ngroup by ${bar}`;
}

/** A decimal point makes the division one of fractions; parentheses keep `- -1` from starting a comment. */
function toLiteral(number: number): string {
  const text = String(number);
  return `(${/[.e]/i.test(text) ? text : `${text}.0`})`;
}

/** Some types, such as json, have no equality; their texts do. */
function toCountable(column: string, kind: ConditionKind, dialect: SqlDialect): string {
  return kind === "other" ? `cast(${column} as ${DIALECTS[dialect].textType})` : column;
}

function toSource(statement: string): string {
  return `from (\n${statement.trim().replace(/;\s*$/, "")}\n) as found`;
}
