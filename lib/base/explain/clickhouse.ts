import { detailsOf, isObject, type Json, listOf, numberOf, textOf } from "./json.ts";
import { NO_STEP, type Reading, type Step } from "./plan.ts";

const NAMES: Readonly<Record<string, string>> = {
  Expression: "Compute columns",
  Aggregating: "Group and aggregate",
  Sorting: "Sort",
  Limit: "Limit",
};

/** Reads the answer to EXPLAIN json = 1, indexes = 1. @returns null for anything else */
export function readClickHouse(answer: unknown): Reading | null {
  const plans = listOf(answer).flatMap(({ Plan }) => (isObject(Plan) ? [Plan] : []));
  return plans.length === 0 ? null : { steps: plans.map(toStep), totalMs: null, planningMs: null };
}

function toStep(node: Json): Step {
  const type = textOf(node["Node Type"]) ?? "Step";
  const description = textOf(node.Description);
  const isRead = type.startsWith("ReadFrom");
  const object = isRead ? description : null;
  const indexes = listOf(node.Indexes);
  const last = indexes.at(-1);
  const [selected, all] = [numberOf(last?.["Selected Granules"]), numberOf(indexes[0]?.["Initial Granules"])];
  const isAll = isRead && object !== null && (selected === null || selected === all);
  return {
    ...NO_STEP,
    name: object === null ? (NAMES[type] ?? type) : `${isAll ? "Full scan of" : "Partial scan of"} ${object}`,
    object,
    about: selected !== null && all !== null ? `${selected} of ${all} granules` : isRead ? null : description,
    isFullRead: isAll,
    lines: [
      description === null ? type : `${type} (${description})`,
      ...detailsOf(node, (key) => ["Node Type", "Description", "Plans", "Indexes"].includes(key)),
      ...indexes.map((index) => detailsOf(index, () => false).join(", ")),
    ],
    children: listOf(node.Plans).map(toStep),
  };
}
