import { prepareQuery, type Query, runQuery } from "../query/query.ts";
import { PAUSE } from "../scheduling/flow.ts";
import type { Context } from "./context.ts";

/** Counts the documents of a query, from index entries alone where they suffice. */
export async function countDocuments(context: Context, query: Query): Promise<number> {
  const prepared = prepareQuery(query);
  const { chosen, node } = prepared;
  const { collection, rows } = query;
  const most = query.limit === undefined ? Number.MAX_SAFE_INTEGER : query.limit + (query.skip ?? 0);
  let total: number | undefined;
  if (node.kind === "and" && node.nodes.length === 0 && rows === context.services.store && query.hint === undefined)
    total = collection.count;
  else if (chosen.kind === "index" && chosen.isExact) {
    total = 0;
    for (const range of chosen.ranges) {
      if (total >= most) break;
      total += rows.countRange(collection, chosen.index, range, most - total);
    }
  }
  if (total === undefined) {
    total = 0;
    for (const item of runQuery(
      { ...query, skip: 0, limit: most === Number.MAX_SAFE_INTEGER ? undefined : most },
      prepared,
    )) {
      if (item === PAUSE) await context.turns.pause();
      else total++;
    }
  }
  return Math.max(0, Math.min(total, most) - (query.skip ?? 0));
}
