/** The properties of an item's commit that merging needs. */
export type Landed = {
  date: Date;
  status: string;
  /** Number of the change, shared by all its commits; null for a foreign commit. */
  change: number | null;
};

/**
 * Returns the maximum number of entries of each list that `mergeHistories` may consume for `limit` items: an item with
 * a twin takes two.
 */
export function windowFor(limit: number): number {
  return 2 * limit;
}

/**
 * Merges two lists, each newest first. An item that changes sides is deleted in one repository and added in the other
 * by one change: of those twins only the addition is shown.
 * @returns the items, at most `limit`, and the consumed number of each list
 */
export function mergeHistories<T extends Landed>(
  a: T[],
  b: T[],
  limit: number,
): { items: T[]; taken: [number, number] } {
  const items: T[] = [];
  const taken: [number, number] = [0, 0];
  while (items.length < limit) {
    const [x, y] = [a[taken[0]], b[taken[1]]];
    const areTwins = x !== undefined && y !== undefined && isTwin(x, y);
    const next = areTwins ? [x, y].find(({ status }) => status !== "deleted") : newer(x, y);
    if (!next) break;
    items.push(next);
    if (areTwins || next === x) taken[0] += 1;
    if (areTwins || next === y) taken[1] += 1;
  }
  return { items, taken };
}

/**
 * Compares by the number of the change, which does not depend on clocks. Only a foreign commit is placed by its date.
 * Git counts seconds, so of two in one second the deletion counts as older.
 */
function newer<T extends Landed>(x: T | undefined, y: T | undefined): T | undefined {
  if (!x || !y) return x ?? y;
  if (x.change !== null && y.change !== null) return x.change > y.change ? x : y;
  const difference = x.date.getTime() - y.date.getTime();
  if (difference === 0) return x.status === "deleted" ? y : x;
  return difference > 0 ? x : y;
}

function isTwin(x: Landed, y: Landed): boolean {
  return x.change !== null && x.change === y.change && (x.status === "deleted") !== (y.status === "deleted");
}
