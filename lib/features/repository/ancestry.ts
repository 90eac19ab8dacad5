import "server-only";
import type { ObjectId } from "mongodb";
import { ensureIndexed } from "./main-index";
import { findPositions, type Position } from "./positions";
import { type Commits, walkCommits } from "./side-commits";

/**
 * Everything reachable from a commit: the whole main up to `tip`, and the commits of `side`. Main histories are never
 * walked; the cost is the length of the side.
 */
export type Ancestry = { head: string; tip: Position | null; side: Commits };

export async function ancestryOf(repositoryId: ObjectId, head: string): Promise<Ancestry> {
  const main = await ensureIndexed(repositoryId);
  if (main?.oid === head) return { head, tip: main, side: new Map() };
  const position = (await findPositions(repositoryId, [head])).get(head);
  if (position?.isTip) return { head, tip: position, side: new Map() };
  const tips: Position[] = [];
  const positions = new Map<string, Position>();
  const walked = await walkCommits(repositoryId, [head], (at) => {
    positions.set(at.oid, at);
    if (at.isTip) tips.push(at);
    return at.isTip;
  });
  const tip = tips.reduce<Position | null>((best, at) => (best && best.seq >= at.seq ? best : at), null);
  // Side commits that landed before the tip are reachable from the tip.
  const side = new Map([...walked].filter(([oid]) => !tip || (positions.get(oid)?.seq ?? Infinity) > tip.seq));
  return { head, tip, side };
}

/** Returns the number of commits that each side has and the other lacks. */
export async function countApart(repositoryId: ObjectId, a: Ancestry, b: Ancestry): Promise<{ a: number; b: number }> {
  const common =
    Math.min(a.tip?.seq ?? 0, b.tip?.seq ?? 0) +
    (await sharedSide(repositoryId, a, b)).length +
    // Commits of b's side that a's main reaches; those on both sides are counted above.
    (await underTip(repositoryId, b, a)).length;
  return { a: sizeOf(a) - common, b: sizeOf(b) - common };
}

/**
 * Returns the base commit for merging both; null if they have no common commit. Of several candidates (after
 * criss-cross merges), the one that landed or was written last.
 */
export async function mergeBase(repositoryId: ObjectId, a: Ancestry, b: Ancestry): Promise<string | null> {
  const shared = [...(await sharedSide(repositoryId, a, b)), ...(await underTip(repositoryId, b, a))];
  const positions = await findPositions(repositoryId, shared);
  const seqOf = (oid: string) => positions.get(oid)?.seq ?? Infinity;
  // Sides list parents first, and landing keeps that order, so the last of the highest is an ancestor of no other.
  const best = shared.reduce<string | null>((top, oid) => (top !== null && seqOf(top) > seqOf(oid) ? top : oid), null);
  if (best !== null) return best;
  const tips = [a.tip, b.tip].filter((tip) => tip !== null);
  return tips.length < 2 ? null : (tips.sort((p, q) => p.seq - q.seq)[0]?.oid ?? null);
}

/** Returns the base commit for merging two heads, as `mergeBase`. */
export async function findMergeBase(repositoryId: ObjectId, a: string, b: string): Promise<string | null> {
  return mergeBase(repositoryId, await ancestryOf(repositoryId, a), await ancestryOf(repositoryId, b));
}

/** Returns how many commits each of two heads has that the other lacks. */
export async function countBetween(
  repositoryId: ObjectId,
  head: string,
  other: string,
): Promise<{ ahead: number; behind: number }> {
  const { a, b } = await countApart(
    repositoryId,
    await ancestryOf(repositoryId, head),
    await ancestryOf(repositoryId, other),
  );
  return { ahead: a, behind: b };
}

/** Whether everything reachable from `a` is reachable from `b`. */
export async function isWithin(repositoryId: ObjectId, a: Ancestry, b: Ancestry): Promise<boolean> {
  return (await countApart(repositoryId, a, b)).a === 0;
}

function sizeOf({ tip, side }: Ancestry): number {
  return (tip?.seq ?? 0) + side.size;
}

/** Returns the commits of a's side that b reaches. */
async function sharedSide(repositoryId: ObjectId, a: Ancestry, b: Ancestry): Promise<string[]> {
  const landed = new Set(await underTip(repositoryId, a, b));
  return [...a.side.keys()].filter((oid) => b.side.has(oid) || landed.has(oid));
}

/** Returns the commits of one's side that the other's tip reaches. */
async function underTip(repositoryId: ObjectId, one: Ancestry, other: Ancestry): Promise<string[]> {
  const { tip } = other;
  if (!tip || one.side.size === 0) return [];
  const positions = await findPositions(repositoryId, [...one.side.keys()]);
  return [...one.side.keys()].filter((oid) => (positions.get(oid)?.seq ?? Infinity) <= tip.seq);
}
