import type { Choice } from "./choice";
import type { Plan } from "./plan";

/* Rows of a ranking that share its last place: a limit would leave some of them out without a reason. */

/** Maximum number of rows that are read behind the asked ones. */
const TIES_MAX = 50;
const SAID = "equal rank";
const ALL = "all rows";

/** Returns the plan that shows whether rows behind its limit share the last place; null without such a limit. */
export function withNextRows(plan: Plan): Plan | null {
  const { order, limit, countedAs } = plan;
  if (order.length !== 1 || limit === null || limit > TIES_MAX || countedAs !== null) return null;
  return { ...plan, limit: limit + TIES_MAX };
}

/** Returns the number of rows down to the last one with the rank of the limit, at most `TIES_MAX` behind it. */
export function countWithTies({ order, limit }: Plan, rows: readonly Record<string, unknown>[]): number {
  const alias = order[0]?.alias ?? "";
  const last = rows[(limit ?? 0) - 1];
  if (!last) return limit ?? 0;
  return rows.findLastIndex((row) => String(row[alias]) === String(last[alias])) + 1;
}

/** Returns the question whether all rows of equal rank are meant. */
export function tieChoice(limit: number): Choice {
  return { said: SAID, options: [ALL, limit === 1 ? "one row" : `${limit} rows`] };
}

/** Returns whether a person chose all rows of equal rank; null without a choice. */
export function areAllChosen(chosen: ReadonlyMap<string, string>): boolean | null {
  const option = chosen.get(SAID);
  return option === undefined ? null : option === ALL;
}
