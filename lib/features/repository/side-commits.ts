import "server-only";
import type { ObjectId } from "mongodb";
import { diffCommit } from "./commit-diff";
import type { Commit } from "./git-objects";
import { type HistoryChange, type Lookup, toHistory } from "./lineage";
import { readCommitObject } from "./object-store";
import { findPositions, lineageOnMain, type Position } from "./positions";
import { type DeletedFile, deletedOnMain, type FindDeleted, returnedFiles } from "./returned-files";
import { findEntry } from "./tree-edit";

/** Commits of a walk, parents first, in an order that git alone determines. */
export type Commits = Map<string, Commit>;

/**
 * Returns all commits reachable from `starts`, up to those that `isStop` accepts.
 * @param isStop gets a commit's position on main, or null; an accepted commit and its parents are left out
 */
export async function walkCommits(
  repositoryId: ObjectId,
  starts: readonly string[],
  isStop: (position: Position) => boolean,
): Promise<Commits> {
  const found: Commits = new Map();
  const seen = new Set<string>();
  const stack: { oid: string; commit: Commit | null }[] = [...starts].reverse().map((oid) => ({ oid, commit: null }));
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { oid } = item;
    if (item.commit) {
      found.set(oid, item.commit);
      continue;
    }
    if (seen.has(oid)) continue;
    seen.add(oid);
    const position = (await findPositions(repositoryId, [oid])).get(oid);
    if (position && isStop(position)) continue;
    const commit = await readCommitObject(repositoryId, oid);
    // Resumed once its parents are done.
    stack.push({ oid, commit });
    for (const parent of commit.parents.toReversed()) if (!seen.has(parent)) stack.push({ oid: parent, commit: null });
  }
  return found;
}

/**
 * Returns the changes of each commit of a walk, with the files' ids, and a function that finds a file in one of them.
 */
export async function historiesOf(
  repositoryId: ObjectId,
  commits: Commits,
): Promise<{ histories: Map<string, HistoryChange[]>; lookup: Lookup }> {
  const histories = new Map<string, HistoryChange[]>();
  const lookup: Lookup = async (parent, path) => {
    for (let oid: string | null = parent; oid !== null; ) {
      const commit = commits.get(oid);
      if (!commit) return landedLineage(repositoryId, oid, path);
      const entry = histories.get(oid)?.findLast((change) => change.path === path && change.status !== "deleted");
      if (entry) return entry.lineage;
      oid = await parentWith(repositoryId, commit, path);
    }
    return null;
  };
  const findDeleted: FindDeleted = async (parent, paths) => {
    const found = new Map<string, DeletedFile>();
    for (const path of paths) {
      const file = await deletedBefore(repositoryId, { commits, histories }, parent, path);
      if (file) found.set(path, file);
    }
    return found;
  };
  for (const [oid, commit] of commits) {
    const files = await diffCommit(repositoryId, commit);
    const returned = await returnedFiles(repositoryId, commit, files, findDeleted);
    histories.set(oid, await toHistory(oid, commit, files, lookup, returned));
  }
  return { histories, lookup };
}

/** Returns the deleted file that was last at a path, walking back from a commit; null if it was moved or returned. */
async function deletedBefore(
  repositoryId: ObjectId,
  { commits, histories }: { commits: Commits; histories: ReadonlyMap<string, HistoryChange[]> },
  parent: string,
  path: string,
): Promise<DeletedFile | null> {
  const later = new Set<string>();
  for (let oid: string | null = parent; oid !== null; ) {
    const commit = commits.get(oid);
    if (!commit) {
      const position = (await findPositions(repositoryId, [oid])).get(oid);
      const file = position && (await deletedOnMain(repositoryId, position.seq, [path])).get(path);
      return file && !later.has(file.lineage) ? file : null;
    }
    const changes: HistoryChange[] = histories.get(oid) ?? [];
    const last = changes.findLast((change) => change.path === path || change.previousPath === path);
    if (last) {
      const { status, lineage, before } = last;
      return status === "deleted" && before !== null && !later.has(lineage) ? { lineage, before } : null;
    }
    for (const { lineage } of changes) later.add(lineage);
    oid = await parentWith(repositoryId, commit, path);
  }
  return null;
}

async function landedLineage(repositoryId: ObjectId, oid: string, path: string): Promise<string | null> {
  const position = (await findPositions(repositoryId, [oid])).get(oid);
  return position ? lineageOnMain(repositoryId, position.seq, path) : null;
}

/** Returns the parent from which a commit has the file at a path, unchanged. */
async function parentWith(repositoryId: ObjectId, commit: Commit, path: string): Promise<string | null> {
  if (commit.parents.length < 2) return commit.parents[0] ?? null;
  const entry = await findEntry(repositoryId, commit.tree, path);
  for (const parent of commit.parents) {
    const { tree } = await readCommitObject(repositoryId, parent);
    if ((await findEntry(repositoryId, tree, path))?.oid === entry?.oid) return parent;
  }
  return commit.parents[0] ?? null;
}
