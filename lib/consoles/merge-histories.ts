/** What merging has to know of a commit of a console. */
export type Landed = { date: Date; subject: string; status: string };

/**
 * As many of each list as `mergeHistories` may use up before it has `limit` items: an item takes two where it has a
 * twin.
 */
export function windowFor(limit: number): number {
  return 2 * limit;
}

/**
 * The newest of two lists, each newest first. A console that changes sides is deleted in one repository and added in
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

/** Git counts seconds: of two in one, the deletion is older, since it waits for its twin. */
function newer<T extends Landed>(x: T | undefined, y: T | undefined): T | undefined {
  if (!x || !y) return x ?? y;
  const difference = x.date.getTime() - y.date.getTime();
  if (difference === 0) return x.status === "deleted" ? y : x;
  return difference > 0 ? x : y;
}

function isTwin(x: Landed, y: Landed): boolean {
  const isPair = (x.status === "deleted") !== (y.status === "deleted");
  return isPair && x.subject === y.subject && x.date.getTime() === y.date.getTime();
}
