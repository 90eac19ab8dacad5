import type { Predicate } from "../../plan";
import type { Step, Table } from "../../schema";
import type { Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

type Exists = Extract<Predicate, { kind: "exists" }>;

/**
 * Lists rows that have related ones once, or once for each of them if a person chose that. Returns the filters.
 * @throws Unresolved with the choice
 */
export function listRelated(resolution: Resolution, where: Predicate[]): Predicate[] {
  const related = where.find((one): one is Exists => one.kind === "exists" && !one.isNegated);
  const from = resolution.from as Table;
  if (!related) return where;
  const { steps, table } = related;
  const up = steps.findIndex(({ isUp }) => isUp);
  const down = up < 0 ? steps : steps.slice(0, up);
  const above = up < 0 ? [] : steps.slice(up);
  const lowest = down.at(-1)?.table;
  // Without a query for each related row, nothing tells whether there are several.
  if (!lowest || above.some(({ isUp }) => !isUp)) throw new Unresolved();
  const once = `each row of ${from.name} once`;
  const repeated = `each row of ${from.name} for each row of ${table.name}`;
  if (resolution.choose(from.name, [once, repeated], String, "repeat") === once) return where;
  const joined = down.toReversed().map(({ edge }): Step => ({ edge, table: edge.to, isUp: true }));
  const own = resolution.joins.splice(0);
  resolution.joins.push(...joined, ...own, ...above);
  resolution.from = lowest;
  return [...where.filter((one) => one !== related), ...related.where];
}
