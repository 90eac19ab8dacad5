import type { ResultRow } from "../values/json-rows.ts";
import { detailsOf, isObject, type Json, listOf, numberOf, textOf, toWords } from "./json.ts";
import { NO_STEP, type Reading, type Step } from "./plan.ts";

const NAMES: Readonly<Record<string, string>> = {
  COLLSCAN: "Collection scan of",
  IXSCAN: "Index scan",
  FETCH: "Fetch documents of",
  SORT: "Sort",
  LIMIT: "Limit",
  SKIP: "Skip",
  GROUP: "Group and aggregate",
  EOF: "Empty",
};
const INPUTS = ["inputStage", "outerStage", "innerStage", "thenStage", "elseStage"];
const SEEN = new Set(["stage", "inputStages", "nReturned", "executionTimeMillisEstimate", ...INPUTS]);

/** Reads the answer of .explain(), of a find or an aggregation. @returns null for anything else */
export function readMongo(rows: readonly ResultRow[]): Reading | null {
  const answer: Json | undefined = rows[0];
  if (!answer) return null;
  const stats = isObject(answer.executionStats) ? answer.executionStats : {};
  const totalMs = numberOf(stats.executionTimeMillis);
  const stages = listOf(answer.stages);
  if (stages.length === 0) {
    const step = cursorStep(answer);
    return step && { steps: [step], totalMs, planningMs: null };
  }
  let below: Step | null = null;
  let belowMs = 0;
  for (const stage of stages) {
    const name = Object.keys(stage).find((key) => key.startsWith("$"));
    if (name === undefined) return null;
    if (name === "$cursor" && isObject(stage.$cursor)) {
      below = cursorStep(stage.$cursor);
      belowMs = below === null ? 0 : sumMs(below);
      continue;
    }
    // The time of each stage includes all stages before it.
    const all = numberOf(stage.executionTimeMillisEstimate);
    below = {
      ...NO_STEP,
      name: toWords(name.slice(1)),
      about: textOf(stage[name]),
      realRows: numberOf(stage.nReturned),
      ownMs: all === null ? null : Math.max(0, all - belowMs),
      lines: [name, ...detailsOf(stage, (key) => key === "executionTimeMillisEstimate")],
      children: below === null ? [] : [below],
    };
    belowMs = all ?? belowMs;
  }
  return below && { steps: [below], totalMs, planningMs: null };
}

function cursorStep(answer: Json): Step | null {
  const planner = isObject(answer.queryPlanner) ? answer.queryPlanner : {};
  const stats = isObject(answer.executionStats) ? answer.executionStats : {};
  const winning = isObject(planner.winningPlan) ? planner.winningPlan : null;
  const plan = isObject(stats.executionStages)
    ? stats.executionStages
    : winning && isObject(winning.queryPlan)
      ? winning.queryPlan
      : winning;
  const collection = textOf(planner.namespace)?.replace(/^[^.]*\./, "") ?? null;
  if (plan === null || plan.stage === undefined) return null;
  const step = toStep(plan, collection);
  if (numberOf(plan.nReturned) !== null) return step;
  // Some servers count only for the whole plan.
  const [returned, examined] = [numberOf(stats.nReturned), numberOf(stats.totalDocsExamined)];
  const dropped = step.isFullRead && returned !== null && examined !== null ? examined - returned : null;
  return { ...step, realRows: returned, droppedRows: dropped };
}

function toStep(node: Json, collection: string | null): Step {
  const stage = textOf(node.stage) ?? "";
  const inputs = [...INPUTS.map((key) => node[key]).filter(isObject), ...listOf(node.inputStages)];
  const children = inputs.map((input) => toStep(input, collection));
  const all = numberOf(node.executionTimeMillisEstimate);
  const below = inputs.reduce((sum, input) => sum + (numberOf(input.executionTimeMillisEstimate) ?? 0), 0);
  const isRead = stage === "COLLSCAN" || stage === "FETCH";
  const [examined, returned] = [numberOf(node.docsExamined), numberOf(node.nReturned)];
  const index = textOf(node.indexName);
  return {
    ...NO_STEP,
    name: `${NAMES[stage] ?? toWords(stage)}${isRead && collection !== null ? ` ${collection}` : ""}`,
    object: isRead || stage === "IXSCAN" ? collection : null,
    about: index ?? textOf(node.filter) ?? textOf(node.sortPattern),
    realRows: returned,
    droppedRows: examined !== null && returned !== null && stage === "COLLSCAN" ? examined - returned : null,
    ownMs: all === null ? null : Math.max(0, all - below),
    isFullRead: stage === "COLLSCAN",
    lines: [
      returned === null ? stage : `${stage}  (returned=${returned} time=${all ?? 0} ms)`,
      ...detailsOf(node, (key) => SEEN.has(key)),
    ],
    children,
  };
}

function sumMs(step: Step): number {
  return (step.ownMs ?? 0) + step.children.reduce((sum, child) => sum + sumMs(child), 0);
}
