import { emptyPlan, type Plan } from "../../plan";
import type { Table } from "../../schema";
import { timeColumn } from "./implied-columns";
import { finishPlan } from "./plans";
import { predicatesOf } from "./predicates";
import type { Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

/** Returns the plan of a question for the time of the first or last row: "When was the last order?" */
export function toMomentPlan(resolution: Resolution): Plan {
  const [item, ...others] = resolution.question.items;
  const isPlain = resolution.modifiers.every(({ kind }) => kind === "conditions");
  if (item?.kind !== "moment" || others.length > 0 || !isPlain) throw new Unresolved();
  resolution.from = resolution.target as Table;
  const ref = timeColumn(resolution);
  if (ref.column.kind !== "date" || ref.table !== resolution.from) throw new Unresolved();
  resolution.assume(`I assumed the time of ${ref.table.name}.${ref.column.name}.`);
  const alias = `${item.isLast ? "last" : "first"}_${ref.column.name}`;
  return finishPlan(resolution, {
    ...emptyPlan(resolution.from),
    where: predicatesOf(resolution),
    measures: [{ alias, fn: item.isLast ? "max" : "min", ref }],
  });
}
