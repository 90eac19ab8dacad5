import type { ResultField, ResultRow } from "../values/json-rows.ts";
import { readClickHouse } from "./clickhouse.ts";
import { readDuckDb } from "./duckdb.ts";
import { isTooDeep, numberOf } from "./json.ts";
import { readMongo } from "./mongodb.ts";
import { readMysql, readMysqlRows } from "./mysql.ts";
import { type PlanForm, type PlanTree, type Reading, toPlanTree } from "./plan.ts";
import { readPostgres } from "./postgres.ts";
import { readSqlite } from "./sqlite.ts";

export type PlanAnswer = { fields: readonly ResultField[]; rows: readonly ResultRow[] };

/** The reader of each form; null for a form that is only displayed. */
const READERS: Readonly<Record<PlanForm, ((answer: PlanAnswer) => Reading | null) | null>> = {
  postgres: ofJson(readPostgres),
  mysql: ofJson(readMysql),
  duckdb: ofJson(readDuckDb),
  clickhouse: ofJson(readClickHouse),
  sqlite: ({ rows }) => readSqlite(rows),
  mongodb: ({ rows }) => (isTooDeep(rows) ? null : readMongo(rows)),
  text: null,
};

/**
 * Parses an engine's answer to EXPLAIN into a tree.
 * @param tableRows returns the known number of rows of a table
 * @returns null if the answer has an unexpected form; it is then shown as text
 */
export function readPlan(
  form: PlanForm,
  answer: PlanAnswer,
  tableRows?: (name: string) => number | null,
): PlanTree | null {
  const reading = READERS[form]?.(answer) ?? null;
  return reading && toPlanTree(reading, tableRows);
}

/**
 * Returns the number of rows that the planner expects a query to return, from a plan without measurements. Null if the
 * plan does not contain it.
 */
export function readPlannedRows(form: PlanForm, answer: PlanAnswer): number | null {
  // Its steps are tables, and none is the result.
  if (form === "mysql") return ofJson(readMysqlRows)(answer);
  if (form === "text") return textRows(answer);
  return readPlan(form, answer)?.nodes[0]?.plannedRows ?? null;
}

/** Reads the first line of a plan in PostgreSQL's text form. */
function textRows({ fields, rows }: PlanAnswer): number | null {
  const line = rows[0]?.[fields[0]?.name ?? ""];
  return typeof line === "string" ? numberOf(/\(cost=\S+ rows=(\d+) /.exec(line)?.[1]) : null;
}

/** Reads a plan that is one JSON document. */
function ofJson<T>(reader: (plan: unknown) => T | null): (answer: PlanAnswer) => T | null {
  return ({ fields, rows }) => {
    // Engines that label their answers put the plan into the last column.
    const field = fields.at(-1);
    if (!field) return null;
    const values = rows.map((row) => row[field.name]);
    const [value] = values;
    try {
      const plan: unknown = values.length === 1 && typeof value !== "string" ? value : JSON.parse(values.join("\n"));
      return isTooDeep(plan) ? null : reader(plan);
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  };
}
