import type { ResultRow } from "../values/json-rows.ts";
import { numberOf, textOf } from "./json.ts";
import { NO_STEP, type Reading, type Step } from "./plan.ts";

/** Reads the answer to EXPLAIN QUERY PLAN: rows that refer to the row above them. @returns null for anything else */
export function readSqlite(rows: readonly ResultRow[]): Reading | null {
  const byId = new Map<number, Step>();
  const steps: Step[] = [];
  for (const row of rows) {
    const [id, parent, detail] = [numberOf(row.id), numberOf(row.parent), textOf(row.detail)];
    if (id === null || parent === null || detail === null) return null;
    const step = toStep(detail);
    byId.set(id, step);
    (byId.get(parent)?.children ?? steps).push(step);
  }
  return steps.length === 0 ? null : { steps, totalMs: null, planningMs: null };
}

function toStep(detail: string): Step {
  const [, verb, object = null, rest = ""] = /^(SCAN|SEARCH) (?:TABLE )?(\S+)\s*(.*)$/.exec(detail) ?? [];
  const base: Step = { ...NO_STEP, name: toSentence(detail), lines: [detail], children: [] };
  if (verb === undefined) return base;
  const isIndex = /USING (?:COVERING )?INDEX|USING INTEGER PRIMARY KEY/.test(rest);
  const isTable = object !== "CONSTANT" && !/VIRTUAL TABLE/.test(rest);
  const name =
    verb === "SEARCH"
      ? `Index lookup in ${object}`
      : isIndex
        ? `Full index scan of ${object}`
        : `Full scan of ${object}`;
  return {
    ...base,
    name: isTable ? name : toSentence(detail),
    object,
    about: rest === "" ? null : rest,
    isFullRead: verb === "SCAN" && !isIndex && isTable,
  };
}

/** Writes "USE TEMP B-TREE FOR GROUP BY" in lower case; names stay unchanged. */
function toSentence(detail: string): string {
  const words = detail.replace(/\b[A-Z][A-Z-]+\b/g, (word) => word.toLowerCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
