import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "./collections";

/**
 * Where a commit stands in the order of landing on the trunk. A tip has been the trunk's head: what is reachable from
 * it are exactly the commits with a `seq` up to its own, so `seq` also counts them.
 */
export type Position = { oid: string; seq: number; isTip: boolean };

/** Entries read to find the file at a path: a commit that replaces a file leaves two for it. */
const LATEST_ENTRIES = 3;

/** The positions of those commits that have landed and are indexed. */
export async function findPositions(repositoryId: ObjectId, oids: string[]): Promise<Map<string, Position>> {
  const docs = await collections
    .gitCommits()
    .find({ workspaceId: repositoryId, oid: { $in: oids } })
    .project<Position>({ _id: 0, oid: 1, seq: 1, isTip: 1 })
    .toArray();
  return new Map(docs.map((position) => [position.oid, position]));
}

/** Which file the trunk had at a path after the commit with that `seq`; null when it never had one. */
export async function lineageOnTrunk(repositoryId: ObjectId, seq: number, path: string): Promise<string | null> {
  const entries = await collections
    .gitHistory()
    .find({ workspaceId: repositoryId, path, seq: { $lte: seq } })
    .sort({ seq: -1 })
    .limit(LATEST_ENTRIES)
    .toArray();
  return (entries.find(({ status }) => status !== "deleted") ?? entries[0])?.lineage ?? null;
}
