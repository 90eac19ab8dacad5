import type { PlanForm } from "@/lib/base/explain/plan";
import { readPlannedRows } from "@/lib/base/explain/read-plan";
import type { RowEstimator } from "../../data-source";

/** Returns an estimate by the planner. EXPLAIN without ANALYZE plans the query and does not run it. */
export function plannerEstimator(
  { form, plan }: { form: PlanForm; plan: string },
  traits: Pick<RowEstimator, "needsOneTable" | "inSession"> = {},
): RowEstimator {
  return {
    statementFor: (query) => `${plan} ${query}`,
    rowsIn: (answer) => readPlannedRows(form, answer),
    ...traits,
  };
}
