import { detailsOf, isObject, type Json, listOf, numberOf, textOf, toWords } from "./json.ts";
import { NO_STEP, type Reading, type Step } from "./plan.ts";

const NAMES: Readonly<Record<string, string>> = {
  HASH_GROUP_BY: "Group and aggregate",
  PERFECT_HASH_GROUP_BY: "Group and aggregate",
  UNGROUPED_AGGREGATE: "Aggregate",
  ORDER_BY: "Sort",
  TOP_N: "Top N",
  PROJECTION: "Compute columns",
  FILTER: "Filter",
};
const MS = 1000;

/** Reads the answer to EXPLAIN (FORMAT JSON), with or without ANALYZE. @returns null for anything else */
export function readDuckDb(answer: unknown): Reading | null {
  const measured = isObject(answer) ? numberOf(answer.latency) : null;
  let steps = isObject(answer) ? listOf(answer.children) : listOf(answer);
  // The plan of the EXPLAIN itself.
  while (steps.length === 1 && textOf(steps[0]?.operator_name) === "EXPLAIN_ANALYZE")
    steps = listOf(steps[0]?.children);
  if (steps.length === 0 || steps.some((step) => typeOf(step) === null)) return null;
  return { steps: steps.map(toStep), totalMs: measured === null ? null : measured * MS, planningMs: null };
}

function typeOf(node: Json): string | null {
  return (textOf(node.operator_name) ?? textOf(node.name))?.trim() ?? null;
}

function toStep(node: Json): Step {
  const type = typeOf(node) ?? "";
  const info = isObject(node.extra_info) ? node.extra_info : {};
  const table = textOf(info.Table);
  // Catalog and schema precede the name.
  const object =
    table === null ? null : (/(?:^|\.)(?:"((?:[^"]|"")+)"|([^."]+))$/.exec(table)?.slice(1).find(Boolean) ?? table);
  const real = numberOf(node.operator_cardinality);
  const scanned = numberOf(node.operator_rows_scanned);
  const timing = numberOf(node.operator_timing);
  const isScan = /SCAN$/.test(type) && object !== null;
  const about = textOf(info.Filters) ?? textOf(info.Conditions) ?? textOf(info["Order By"]) ?? textOf(info.Expression);
  const join = textOf(info["Join Type"]);
  const isIndex = /index/i.test(textOf(info.Type) ?? "");
  return {
    ...NO_STEP,
    name: isScan
      ? `${isIndex ? "Index scan of" : info.Filters === undefined ? "Full scan of" : "Filtered scan of"} ${object}`
      : (NAMES[type] ?? (join === null ? toWords(type) : `${toWords(type)}, ${join.toLowerCase()}`)),
    object,
    about: about ?? (type === "PROJECTION" ? textOf(info.Projections) : null),
    plannedRows: numberOf(info["Estimated Cardinality"]),
    realRows: real,
    droppedRows: isScan && real !== null && scanned !== null && scanned > real ? scanned - real : null,
    ownMs: timing === null ? null : timing * MS,
    // DuckDB skips blocks outside of a filter's bounds: only a scan without a filter certainly reads the whole table.
    isFullRead: isScan && !isIndex && info.Filters === undefined,
    lines: [headOf(type, real, timing), ...detailsOf(info, () => false)],
    children: listOf(node.children).map(toStep),
  };
}

function headOf(type: string, rows: number | null, timing: number | null): string {
  return rows === null ? type : `${type}  (rows=${rows} time=${((timing ?? 0) * MS).toFixed(3)} ms)`;
}
