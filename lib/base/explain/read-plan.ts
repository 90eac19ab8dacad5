import type { ResultField, ResultRow } from "../values/json-rows.ts";
import { readClickHouse } from "./clickhouse.ts";
import { readDuckDb } from "./duckdb.ts";
import { isTooDeep } from "./json.ts";
import { readMongo } from "./mongodb.ts";
import { readMysql } from "./mysql.ts";
import { type PlanForm, type PlanTree, type Reading, toPlanTree } from "./plan.ts";
import { readPostgres } from "./postgres.ts";
import { readSqlite } from "./sqlite.ts";

const OF_JSON: Partial<Record<PlanForm, (answer: unknown) => Reading | null>> = {
  postgres: readPostgres,
  mysql: readMysql,
  duckdb: readDuckDb,
  clickhouse: readClickHouse,
};

/**
 * Parses an engine's answer to EXPLAIN into a tree.
 * @param tableRows returns the known number of rows of a table
 * @returns null if the answer has an unexpected form; it is then shown as text
 */
export function readPlan(
  form: PlanForm,
  answer: { fields: readonly ResultField[]; rows: readonly ResultRow[] },
  tableRows?: (name: string) => number | null,
): PlanTree | null {
  const reading = read(form, answer);
  return reading && toPlanTree(reading, tableRows);
}

function read(
  form: PlanForm,
  { fields, rows }: { fields: readonly ResultField[]; rows: readonly ResultRow[] },
): Reading | null {
  if (form === "sqlite") return readSqlite(rows);
  if (form === "mongodb") return isTooDeep(rows) ? null : readMongo(rows);
  const reader = OF_JSON[form];
  // Engines that label their answers put the plan into the last column.
  const field = fields.at(-1);
  if (!reader || !field) return null;
  const values = rows.map((row) => row[field.name]);
  const [value] = values;
  try {
    const plan: unknown = values.length === 1 && typeof value !== "string" ? value : JSON.parse(values.join("\n"));
    return isTooDeep(plan) ? null : reader(plan);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
