import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "./collections";
import type { GitHistoryDoc } from "./model";

/**
 * A commit's position in the order of landing on main. A tip has been main's head: exactly the commits with a
 * `seq` up to its own are reachable from it, so `seq` also counts them.
 */
export type Position = { oid: string; seq: number; isTip: boolean };

type Entry = Pick<GitHistoryDoc, "status" | "lineage">;

/** Entries read to find the file at a path: a commit that replaces a file has two for it. */
const LATEST_ENTRIES = 3;
/** Number of paths in one look-up, whose histories are read. */
const PATHS_AT_ONCE = 500;

/** Returns the positions of those commits that have landed and are indexed. */
export async function findPositions(repositoryId: ObjectId, oids: string[]): Promise<Map<string, Position>> {
  const docs = await collections
    .gitCommits()
    .find({ workspaceId: repositoryId, oid: { $in: oids } })
    .project<Position>({ _id: 0, oid: 1, seq: 1, isTip: 1 })
    .toArray();
  return new Map(docs.map((position) => [position.oid, position]));
}

/**
 * Returns a commit that has been main's head: the last one with a position above `after` and up to `upTo`, or else
 * the first one beyond, if a merge added more. Null if none has landed after `after`.
 */
export async function findTip(repositoryId: ObjectId, after: number, upTo: number): Promise<Position | null> {
  const one = async (seq: { $gt: number; $lte?: number }, order: 1 | -1) =>
    (
      await collections
        .gitCommits()
        .find({ workspaceId: repositoryId, seq, isTip: true })
        .sort({ seq: order })
        .limit(1)
        .project<Position>({ _id: 0, oid: 1, seq: 1, isTip: 1 })
        .toArray()
    )[0] ?? null;
  return (await one({ $gt: after, $lte: upTo }, -1)) ?? (await one({ $gt: upTo }, 1));
}

/** Returns the id of the file at a path on main after the commit at `seq`; null if there never was one. */
export async function lineageOnMain(repositoryId: ObjectId, seq: number, path: string): Promise<string | null> {
  const entries = await collections
    .gitHistory()
    .find({ workspaceId: repositoryId, path, seq: { $lte: seq } })
    .sort({ seq: -1 })
    .limit(LATEST_ENTRIES)
    .toArray();
  return shownLineage(entries);
}

/** Does the same as `lineageOnMain` for many paths; those that never had a file are absent. */
export async function lineagesOnMain(
  repositoryId: ObjectId,
  seq: number,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let at = 0; at < paths.length; at += PATHS_AT_ONCE) {
    const batch = paths.slice(at, at + PATHS_AT_ONCE);
    const entries = collections
      .gitHistory()
      .find({ workspaceId: repositoryId, path: { $in: batch }, seq: { $lte: seq } })
      .project<Entry & { path: string }>({ _id: 0, path: 1, status: 1, lineage: 1 })
      .sort({ path: 1, seq: -1 });
    const latest = new Map<string, Entry[]>();
    for await (const { path, ...entry } of entries) {
      const known = latest.get(path);
      if (!known) latest.set(path, [entry]);
      else if (known.length < LATEST_ENTRIES) known.push(entry);
    }
    for (const [path, own] of latest) {
      const lineage = shownLineage(own);
      if (lineage !== null) found.set(path, lineage);
    }
  }
  return found;
}

/** @param entries of one path, the latest first */
function shownLineage(entries: readonly Entry[]): string | null {
  return (entries.find(({ status }) => status !== "deleted") ?? entries[0])?.lineage ?? null;
}
