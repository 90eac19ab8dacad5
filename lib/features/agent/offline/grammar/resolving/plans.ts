import type { Output, Plan, Ref } from "../../plan";
import { displayColumns, type Table } from "../../schema";
import type { Resolution } from "./resolution";

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

/** Returns the columns with different aliases; a repeated one counts once. */
export function outputsOf(refs: readonly Ref[]): Output[] {
  const outputs: Output[] = [];
  for (const ref of refs) addOutput(outputs, ref);
  return outputs;
}

/** Returns the alias of a column, which is added if it is missing. */
export function addOutput(outputs: Output[], ref: Ref): string {
  const known = outputs.find((each) => each.ref.table === ref.table && each.ref.column === ref.column);
  if (known) return known.alias;
  const isTaken = (alias: string) => outputs.some((each) => each.alias === alias);
  let alias = isTaken(ref.column.name) ? `${ref.table.name}_${ref.column.name}` : ref.column.name;
  for (let n = 2; isTaken(alias); n++) alias = `${ref.column.name}_${n}`;
  outputs.push({ alias, kind: "column", ref });
  return alias;
}

/** Completes a plan with what the whole question adds. */
export function finishPlan(resolution: Resolution, plan: Plan): Plan {
  // A shown key needs no second place among the groups.
  const hiddenKeys = plan.hiddenKeys.filter(
    (key) => !plan.outputs.some(({ ref }) => ref.table === key.table && ref.column === key.column),
  );
  return { ...plan, hiddenKeys, where: [...plan.where, ...resolution.upperBounds] };
}
