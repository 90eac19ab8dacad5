import type { ResultField, ResultRow } from "../values/json-rows.ts";
import { readClickHouse } from "./clickhouse.ts";
import { readDuckDb } from "./duckdb.ts";
import { isTooDeep } from "./json.ts";
import { readMongo } from "./mongodb.ts";
import { readMysql } from "./mysql.ts";
import { type PlanForm, type PlanTree, type Reading, toPlanTree } from "./plan.ts";
import { readPostgres } from "./postgres.ts";
import { readSqlite } from "./sqlite.ts";

type Answer = { fields: readonly ResultField[]; rows: readonly ResultRow[] };

/** The reader of each form; null for a form that is only displayed. */
const READERS: Readonly<Record<PlanForm, ((answer: Answer) => Reading | null) | null>> = {
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
export function readPlan(form: PlanForm, answer: Answer, tableRows?: (name: string) => number | null): PlanTree | null {
  const reading = READERS[form]?.(answer) ?? null;
  return reading && toPlanTree(reading, tableRows);
}

/** Reads a plan that is one JSON document. */
function ofJson(reader: (plan: unknown) => Reading | null): (answer: Answer) => Reading | null {
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
