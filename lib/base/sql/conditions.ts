import { DIALECTS, type SqlDialect } from "./dialects/registry";
import { toSqlName, toSqlText } from "./names";

/** Comparisons of a column's values with a chosen one. */
export const CONDITION_OPS = ["is", "not", "least", "most", "above", "below", "holds"] as const;
export type ConditionOp = (typeof CONDITION_OPS)[number];
/** Maximum number of values of one condition: each is a placeholder, and a person has chosen them one by one. */
export const ANY_VALUES_MAX = 100;
/**
 * `value` is the exact text, as copied; null only with `is` and `not`. `any` accepts each of its values, including
 * null.
 */
export type Condition = { op: ConditionOp; value: string | null } | { op: "any"; values: (string | null)[] };
/** Kind of a column's values, for comparisons. */
export type ConditionKind = "number" | "text" | "boolean" | "date" | "time" | "other";

const SIGNS = { least: ">=", most: "<=", above: ">", below: "<" } as const;

/**
 * Returns a condition as SQL. Every operator except `not` leaves out rows without a value, as the database does; `not`
 * keeps them.
 * @param column the quoted column
 * @param write puts a value into the statement: as a placeholder, or as a literal
 */
export function toSqlCondition(
  condition: Condition,
  { column, kind, dialect }: { column: string; kind: ConditionKind; dialect: SqlDialect },
  write: (value: string, kind: ConditionKind) => string,
): string {
  if (condition.op === "any") {
    const texts = condition.values.filter((each) => each !== null);
    const hasNull = texts.length < condition.values.length;
    if (texts.length === 0) return hasNull ? `${column} is null` : "1 = 0";
    const found = `${column} in (${texts.map((each) => write(each, kind)).join(", ")})`;
    return hasNull ? `(${found} or ${column} is null)` : found;
  }
  const { op, value } = condition;
  if (value === null) return op === "not" ? `${column} is not null` : `${column} is null`;
  if (op === "holds") return toHolds(value, column, kind, dialect, write);
  if (op === "is") return `${column} = ${write(value, kind)}`;
  if (op === "not") return `(${column} <> ${write(value, kind)} or ${column} is null)`;
  return `${column} ${SIGNS[op]} ${write(value, kind)}`;
}

function toHolds(
  value: string,
  column: string,
  kind: ConditionKind,
  dialect: SqlDialect,
  write: (value: string, kind: ConditionKind) => string,
): string {
  const { toContains } = DIALECTS[dialect];
  if (toContains) return toContains(column, write(value, "text"));
  return toSqlLike({ start: "%", value, end: "%" }, { column, kind, dialect }, write);
}

/** Returns a condition on the start, the end or any part of a text, regardless of case. */
export function toSqlLike(
  { start, value, end }: { start: "" | "%"; value: string; end: "" | "%" },
  { column, kind, dialect }: { column: string; kind: ConditionKind; dialect: SqlDialect },
  write: (value: string, kind: ConditionKind) => string,
): string {
  const text = kind === "text" ? column : `cast(${column} as ${DIALECTS[dialect].textType})`;
  const pattern = `${start}${value.toLowerCase().replace(/[!%_]/g, "!$&")}${end}`;
  return `lower(${text}) like ${write(pattern, "text")} escape '!'`;
}

/** Returns a value as a literal for a statement that a person reads. */
export function toSqlLiteral(value: string, kind: ConditionKind, dialect: SqlDialect): string {
  const { booleanWords, typedTimes } = DIALECTS[dialect];
  if (kind === "number" && /^-?\d+(\.\d+)?$/.test(value)) return value;
  if (kind === "boolean" && /^(true|false)$/i.test(value)) {
    return booleanWords ? value.toLowerCase() : String(Number(/^true$/i.test(value)));
  }
  const text = toSqlText(value, dialect);
  if (!typedTimes || kind === "other" || kind === "text" || kind === "number") return text;
  if (kind === "date") return `date ${text}`;
  return kind === "time" ? `timestamp ${toSqlText(value.replace("T", " ").replace(/Z$/, " UTC"), dialect)}` : text;
}

export type ColumnCondition = { name: string; kind: ConditionKind; condition: Condition };

/** Wraps a query with conditions on its columns. */
export function toFilteredQuery(statement: string, conditions: ColumnCondition[], dialect: SqlDialect): string {
  const inner = statement.trim().replace(/;\s*$/, "");
  return `select *\nfrom (\n${inner}\n) as found\n${toWhere(conditions, dialect)};`;
}

type TableQuery = {
  conditions: ColumnCondition[];
  /** Null for no order. `mayBeNull` puts rows without a value last, in every database. */
  sort: { name: string; isDescending: boolean; mayBeNull: boolean } | null;
  limit: number;
};

/** Returns the query for rows of a table. @param table the quoted table */
export function toTableQuery(table: string, { conditions, sort, limit }: TableQuery, dialect: SqlDialect): string {
  const column = sort && toSqlName(sort.name, dialect);
  const order = sort && `${sort.mayBeNull ? `${column} is null, ` : ""}${column}${sort.isDescending ? " desc" : ""}`;
  return [
    "select *",
    `from ${table}`,
    ...(conditions.length > 0 ? [toWhere(conditions, dialect)] : []),
    ...(order === null ? [] : [`order by ${order}`]),
    `limit ${limit}`,
  ].join("\n");
}

function toWhere(conditions: ColumnCondition[], dialect: SqlDialect): string {
  const lines = conditions.map(({ name, kind, condition }) =>
    toSqlCondition(condition, { column: toSqlName(name, dialect), kind, dialect }, (value, as) =>
      toSqlLiteral(value, as, dialect),
    ),
  );
  return `where ${lines.join("\n  and ")}`;
}
