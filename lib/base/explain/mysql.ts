import { isObject, type Json, listOf, numberOf, textOf, toWords } from "./json.ts";
import { NO_STEP, type Reading, type Step } from "./plan.ts";

/** Names of MySQL's and MariaDB's objects that are steps. All others are only containers of steps. */
const STEPS: Readonly<Record<string, string>> = {
  filesort: "Sort",
  ordering_operation: "Order",
  grouping_operation: "Group and aggregate",
  duplicates_removal: "Remove duplicates",
  temporary_table: "Temporary table",
  union_result: "Union",
  materialized: "Materialize",
  materialized_from_subquery: "Materialize",
  expression_cache: "Cache subquery results",
  windowing: "Window",
  "block-nl-join": "Block nested-loop join",
};
const ACCESS: Readonly<Record<string, string>> = {
  ALL: "Full scan of",
  index: "Full index scan of",
  range: "Range scan of",
  index_merge: "Index merge on",
  ref: "Index lookup in",
  ref_or_null: "Index lookup in",
  eq_ref: "Single-row lookup in",
  const: "Single-row lookup in",
  system: "Single row of",
  fulltext: "Full-text search in",
};
/** Maximum nesting: more than a server can plan. */
const DEPTH_MAX = 200;
/** Share of the rows that pass a condition, if it is all of them. */
const ALL_PERCENT = 100;

/**
 * Reads the answer to EXPLAIN FORMAT=JSON of MySQL and MariaDB, and to MariaDB's ANALYZE. @returns null for anything
 * else
 */
export function readMysql(answer: unknown): Reading | null {
  if (!isObject(answer) || !isObject(answer.query_block)) return null;
  const block = answer.query_block;
  const optimized = isObject(answer.query_optimization) ? numberOf(answer.query_optimization.r_total_time_ms) : null;
  return { steps: [blockStep(block, 0)], totalMs: numberOf(block.r_total_time_ms), planningMs: optimized };
}

/**
 * Returns the number of rows that a query of one table is expected to return. Null for other queries, and where the
 * server has no statistics about the condition: it expects to keep all rows of a full scan then.
 */
export function readMysqlRows(answer: unknown): number | null {
  const block = isObject(answer) && isObject(answer.query_block) ? answer.query_block : null;
  const loop = listOf(block?.nested_loop);
  const table = loop.length === 1 ? loop[0]?.table : block?.table;
  if (!isObject(table) || loop.length > 1) return null;
  const rows = numberOf(table.rows) ?? numberOf(table.rows_examined_per_scan);
  const filtered = numberOf(table.filtered) ?? ALL_PERCENT;
  const isScan = table.access_type === "ALL" || table.access_type === "index";
  if (rows === null || (isScan && table.attached_condition !== undefined && filtered >= ALL_PERCENT)) return null;
  return Math.round((rows * filtered) / ALL_PERCENT);
}

function blockStep(block: Json, depth: number): Step {
  const number = textOf(block.select_id);
  const children = stepsIn(block, depth);
  const operation = textOf(block.operation);
  const costs = isObject(block.cost_info) ? block.cost_info : {};
  return {
    ...NO_STEP,
    name: `${operation === null ? "Query" : toWords(operation)}${number === null ? "" : ` ${number}`}`,
    about: textOf(block.message) ?? textOf(block.having_condition),
    cost: numberOf(costs.query_cost) ?? numberOf(block.cost),
    lines: linesOf(`query_block${number === null ? "" : ` ${number}`}`, block),
    children,
  };
}

/** Returns the direct child steps of an object, in its order. */
function stepsIn(source: Json, depth: number): Step[] {
  if (depth > DEPTH_MAX) return [];
  return Object.entries(source).flatMap(([key, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.filter(isObject).flatMap((each) => stepsOf(key, each, depth + 1));
  });
}

function stepsOf(key: string, value: Json, depth: number): Step[] {
  if (key === "cost_info" || key.startsWith("r_")) return [];
  if (key === "query_block") return [blockStep(value, depth)];
  if (key === "table") return [tableStep(value, depth)];
  const name = STEPS[key];
  if (name === undefined) return stepsIn(value, depth);
  return [
    {
      ...NO_STEP,
      name,
      about: textOf(value.sort_key) ?? textOf(value.buffer_type),
      realRows: numberOf(value.r_output_rows),
      ownMs: numberOf(value.r_total_time_ms),
      lines: linesOf(key, value),
      children: stepsIn(value, depth),
    },
  ];
}

function tableStep(table: Json, depth: number): Step {
  const object = textOf(table.table_name);
  const access = textOf(table.access_type) ?? "";
  const condition = textOf(table.attached_condition);
  const key = textOf(table.key);
  const rounds = numberOf(table.r_loops);
  // Percentage of the read rows that pass the filter.
  const planned = numberOf(table.rows) ?? numberOf(table.rows_examined_per_scan);
  const kept = (numberOf(table.filtered) ?? 100) / 100;
  const read = numberOf(table.r_rows);
  const realKept = (numberOf(table.r_filtered) ?? 100) / 100;
  const times = [numberOf(table.r_table_time_ms), numberOf(table.r_other_time_ms)];
  const costs = isObject(table.cost_info) ? table.cost_info : {};
  const below = stepsIn(table, depth);
  const own = (numberOf(costs.read_cost) ?? 0) + (numberOf(costs.eval_cost) ?? 0);
  const hasCost = costs.read_cost !== undefined;
  return {
    ...NO_STEP,
    name: `${ACCESS[access] ?? (access === "" ? "Read" : toWords(access))} ${object ?? "a table"}`,
    object,
    about: condition ?? (key === null ? textOf(table.message) : `${key} (${textOf(table.used_key_parts) ?? ""})`),
    // Includes the steps below, as for every engine: this one reports each step alone.
    cost: hasCost ? own + below.reduce((sum, each) => sum + (each.cost ?? 0), 0) : numberOf(table.cost),
    plannedRows: planned === null ? null : planned * kept * (rounds || 1),
    realRows: read === null || rounds === null ? null : read * realKept * rounds,
    droppedRows: read === null || rounds === null ? null : read * (1 - realKept) * rounds,
    ownMs: times.every((time) => time === null) ? null : times.reduce<number>((sum, time) => sum + (time ?? 0), 0),
    isFullRead: access === "ALL" && !object?.startsWith("<"),
    rounds,
    lines: linesOf(`table ${object ?? ""}`.trim(), table),
    children: below,
  };
}

function linesOf(head: string, source: Json): string[] {
  const own = Object.entries(source).flatMap(([key, value]) => {
    const holds = Array.isArray(value)
      ? value.some(isObject)
      : isObject(value) && key !== "cost_info" && !key.startsWith("r_");
    const text = holds || key === "table_name" || key === "select_id" ? null : textOf(value);
    return text === null ? [] : [`${key}: ${text}`];
  });
  return [head, ...own];
}
