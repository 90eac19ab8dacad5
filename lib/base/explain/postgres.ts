import { formatCountOf } from "../values/amounts.ts";
import { detailsOf, isObject, type Json, listOf, numberOf, textOf } from "./json.ts";
import { NO_STEP, type Reading, type Step } from "./plan.ts";

const NAMES: Readonly<Record<string, string>> = {
  "Index Scan": "Index scan",
  "Index Only Scan": "Index-only scan",
  "Bitmap Heap Scan": "Bitmap heap scan",
  "Bitmap Index Scan": "Bitmap index scan",
  "Subquery Scan": "Subquery",
  "Function Scan": "Function",
  "CTE Scan": "CTE scan",
  "Values Scan": "Values",
  ModifyTable: "Write",
};
/** Keys that the head of a step shows, or that are ignored. */
const HEAD = new Set([
  ...["Node Type", "Strategy", "Partial Mode", "Parent Relationship", "Parallel Aware", "Async Capable", "Join Type"],
  ...[
    "Startup Cost",
    "Total Cost",
    "Plan Rows",
    "Plan Width",
    "Plans",
    "Relation Name",
    "Alias",
    "Index Name",
    "Schema",
  ],
  ...["Actual Startup Time", "Actual Total Time", "Actual Rows", "Actual Loops", "Scan Direction", "Workers"],
  ...["Original Hash Buckets", "Original Hash Batches", "Operation"],
]);
const CONDITIONS = [
  "Index Cond",
  "Hash Cond",
  "Merge Cond",
  "Join Filter",
  "Recheck Cond",
  "Filter",
  "Group Key",
  "Sort Key",
];

/** Reads the answer to EXPLAIN (FORMAT JSON), with or without ANALYZE. @returns null for anything else */
export function readPostgres(answer: unknown): Reading | null {
  const [first] = listOf(answer);
  if (!first || !isObject(first.Plan)) return null;
  return {
    steps: [toStep(first.Plan, 1)],
    totalMs: numberOf(first["Execution Time"]),
    planningMs: numberOf(first["Planning Time"]),
  };
}

/**
 * @param lanes processes that share the work of this step: they run in parallel, and their times are reported as a sum
 */
function toStep(node: Json, lanes: number): Step {
  const type = textOf(node["Node Type"]) ?? "Step";
  const isGather = type === "Gather" || type === "Gather Merge";
  const workers = numberOf(node["Workers Launched"]) ?? numberOf(node["Workers Planned"]) ?? 0;
  const plans = listOf(node.Plans);
  const children = plans.map((plan) => toStep(plan, isGather ? workers + 1 : lanes));
  const rounds = numberOf(node["Actual Loops"]);
  const times = (value: number | null) => (value === null ? null : value * (rounds ?? 1));
  const object = textOf(node["Relation Name"]) ?? textOf(node["CTE Name"]) ?? textOf(node["Function Name"]);
  const dropped = numberOf(node["Rows Removed by Filter"]) ?? numberOf(node["Rows Removed by Join Filter"]);
  const all = timeOf(node, lanes);
  const below = plans.reduce((sum, plan) => sum + (timeOf(plan, isGather ? workers + 1 : lanes) ?? 0), 0);
  return {
    ...NO_STEP,
    name: nameOf(type, node, object),
    object,
    about: aboutOf(node, dropped === null ? null : dropped * (rounds ?? 1)),
    cost: numberOf(node["Total Cost"]),
    plannedRows: times(numberOf(node["Plan Rows"])),
    realRows: times(numberOf(node["Actual Rows"])),
    droppedRows: times(dropped),
    ownMs: all === null ? null : Math.max(0, all - below),
    isFullRead: type === "Seq Scan",
    rounds,
    lines: linesOf(type, node),
    children,
  };
}

function timeOf(node: Json, lanes: number): number | null {
  const once = numberOf(node["Actual Total Time"]);
  return once === null ? null : (once * (numberOf(node["Actual Loops"]) ?? 1)) / lanes;
}

function nameOf(type: string, node: Json, object: string | null): string {
  if (type === "Seq Scan") return `Full scan of ${object ?? "a table"}`;
  if (type === "Aggregate") return Array.isArray(node["Group Key"]) ? "Group and aggregate" : "Aggregate";
  const join = textOf(node["Join Type"]);
  if (join !== null && (type === "Hash Join" || type === "Merge Join" || type === "Nested Loop")) {
    const kind = type.split(" ")[0];
    const words = join === "Inner" ? "join" : `${join.toLowerCase()} join`;
    return type === "Nested Loop" ? `Nested loop, ${words}` : `${kind} ${words}`;
  }
  const name = NAMES[type] ?? type;
  return object === null || name.includes(object) ? name : `${name}, ${object}`;
}

function aboutOf(node: Json, dropped: number | null): string | null {
  const parts: string[] = [];
  if (dropped !== null && dropped > 0) parts.push(`${formatCountOf(Math.round(dropped), "row")} removed by the filter`);
  const condition = CONDITIONS.map((key) => textOf(node[key])).find((text) => text !== null);
  const index = textOf(node["Index Name"]);
  if (condition) parts.push(condition);
  else if (index !== null) parts.push(index);
  const batches = numberOf(node["Hash Batches"]);
  if (batches !== null && batches > 1) parts.push(`${batches} batches on disk`);
  if (textOf(node["Sort Space Type"]) === "Disk") parts.push(`sorted on disk, ${textOf(node["Sort Space Used"])} kB`);
  return parts.join(", ") || null;
}

/** Returns the lines of a step as in EXPLAIN's text format. */
function linesOf(type: string, node: Json): string[] {
  const join = textOf(node["Join Type"]);
  const head = join === null || join === "Inner" ? type : `${type.replace(" Join", "")} ${join} Join`;
  const index = textOf(node["Index Name"]);
  const table = textOf(node["Relation Name"]);
  const alias = textOf(node.Alias);
  const on = table === null ? "" : ` on ${table}${alias !== null && alias !== table ? ` ${alias}` : ""}`;
  const fixed = (key: string, digits: number) => numberOf(node[key])?.toFixed(digits) ?? "?";
  const cost = `(cost=${fixed("Startup Cost", 2)}..${fixed("Total Cost", 2)} rows=${textOf(node["Plan Rows"])} width=${textOf(node["Plan Width"])})`;
  const actual =
    node["Actual Loops"] === undefined
      ? []
      : [
          numberOf(node["Actual Loops"]) === 0
            ? "(never executed)"
            : `(actual time=${fixed("Actual Startup Time", 3)}..${fixed("Actual Total Time", 3)} rows=${textOf(node["Actual Rows"])} loops=${textOf(node["Actual Loops"])})`,
        ];
  const isNoise = (key: string) =>
    HEAD.has(key) || (/ Blocks$| Time$/.test(key) && (numberOf(node[key]) ?? 0) === 0) || node[key] === false;
  return [`${head}${index === null ? "" : ` using ${index}`}${on}  ${cost}`, ...actual, ...detailsOf(node, isNoise)];
}
