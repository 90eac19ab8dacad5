import type { Plan, Ref } from "../../plan";
import { displayColumns, type Table } from "../../schema";
import type { Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

/* Parts that the plans of all kinds of questions have. */

/** Maximum number of columns that a list of whole rows shows. */
const COLUMNS_MAX = 12;

/** Returns the columns that a list of whole rows shows. */
export function displayed(table: Table): Ref[] {
  const all = table.columns.map((column) => ({ table, column }));
  if (all.length <= COLUMNS_MAX) return all;
  const first = displayColumns(table);
  return [...first.map((column) => ({ table, column })), ...all.filter(({ column }) => !first.includes(column))].slice(
    0,
    COLUMNS_MAX,
  );
}

/** Completes a plan with what the whole question adds. */
export function finishPlan(resolution: Resolution, plan: Plan): Plan {
  if (plan.limit !== null && plan.limit < 1) throw new Unresolved();
  // A shown key needs no second place among the groups.
  const hiddenKeys = plan.hiddenKeys.filter(
    (key) => !plan.outputs.some(({ ref }) => ref.table === key.table && ref.column === key.column),
  );
  return { ...plan, hiddenKeys, where: [...plan.where, ...resolution.upperBounds] };
}
