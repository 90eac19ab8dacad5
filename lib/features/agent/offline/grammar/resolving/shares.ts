import { emptyPlan, figureAlias, type Plan, tableAlias } from "../../plan";
import type { Table } from "../../schema";
import { nameWords } from "../../words";
import { isOfSeveral, nameOf } from "../column-facts";
import { finishPlan } from "./plans";
import { predicatesOf } from "./predicates";
import type { Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

/** "Percentage of players that are Spanish", "average number of players per club". */
export function toSharePlan(resolution: Resolution): Plan {
  const [item, ...others] = resolution.question.items;
  const kinds = new Set(resolution.modifiers.map(({ kind }) => kind));
  kinds.delete("scope");
  kinds.delete("conditions");
  if (!item || others.length > 0 || kinds.size > 0) throw new Unresolved();
  resolution.from = resolution.target as Table;
  if (item.kind === "ratio") {
    const per = item.per.table;
    const [key, ...rest] = per.columns.filter(({ isKey }) => isKey);
    const counts = per.columns.filter(
      ({ kind, words }) => kind === "number" && (words.includes("count") || words.includes("number")),
    );
    // "Items per order" are the item counts of orders.
    const noun = nameWords(item.table.said).at(-1) ?? "";
    const [column, ...others] = counts.filter(({ words }) => words.includes(noun));
    if (column && others.length === 0 && resolution.all("conditions").length === 0) {
      resolution.assume(`I assumed the average of ${nameOf({ table: per, column })}.`);
      resolution.from = per;
      const ref = { table: per, column };
      return finishPlan(resolution, {
        ...emptyPlan(per),
        measures: [{ alias: figureAlias("avg", ref), fn: "avg", ref }],
      });
    }
    const isCounted = counts.some(({ words }) => words.length === 1 || words.includes(noun));
    if (isCounted || isOfSeveral(resolution.from)) throw new Unresolved();
    if (!key || rest.length > 0 || per === resolution.from || !resolution.isAbove(resolution.from, per))
      throw new Unresolved();
    resolution.join(per);
    resolution.assume(`I assumed that ${per.name} without ${resolution.from.name} are left out.`);
    const alias = `${tableAlias(resolution.from)}_per_${tableAlias(per, true)}`;
    return finishPlan(resolution, {
      ...emptyPlan(resolution.from),
      where: predicatesOf(resolution),
      measures: [{ alias, fn: "ratio", of: { table: per, column: key } }],
    });
  }
  // Two conditions may both describe the part, or one of them all rows.
  if (resolution.all("conditions").flatMap(({ conditions }) => conditions).length !== 1) throw new Unresolved();
  if (resolution.all("scope").length !== 1) throw new Unresolved();
  const where = [...predicatesOf(resolution), ...resolution.upperBounds.splice(0)];
  return finishPlan(resolution, { ...emptyPlan(resolution.from), measures: [{ alias: "share", fn: "share", where }] });
}
