/** What merging has to know of a commit of one thing. */
export type Landed = {
  date: Date;
  status: string;
  /** The number of the change that made it, which all its commits have; null for a commit from elsewhere. */
  change: number | null;
};

/**
 * As many of each list as `mergeHistories` may use up before it has `limit` items: an item takes two where it has a
 * twin.
 */
export function windowFor(limit: number): number {
  return 2 * limit;
}

/**
 * The newest of two lists, each newest first. What changes sides is deleted in one repository and added in
 * the other by one change: of those twins only the addition is shown.
 * @returns the items, at most `limit`, and how many of each list are used up
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
 * By the number of the change, which no clock has a part in. Only a commit from elsewhere is placed by its date; git
 * counts seconds, so of two in one the deletion is taken for the older.
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
