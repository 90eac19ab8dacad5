import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "./collections";
import type { TreeEntry } from "./git-objects";
import { folderIn } from "./land-folder";
import { indexUpTo } from "./main-index";
import type { GitHistoryDoc } from "./model";
import { readCommitObject } from "./object-store";
import { findPositions, lineageOnMain, lineagesOnMain } from "./positions";
import { diffTrees, type TreeChange } from "./tree-diff";
import { findEntry, isFile } from "./tree-edit";

/** A file that differs between two heads of main, with its blobs; null if there was, or is, no file. */
export type ChangedFile = { fileId: string; before: string | null } & (
  | { path: string; after: string }
  | { path: null; after: null }
);

/**
 * Returns the files of one folder that differ between two heads of main, by their permanent ids, so that a renamed file
 * is one change.
 * @param before null is the time before the first commit
 */
export async function changedFiles(
  repositoryId: ObjectId,
  before: string | null,
  after: string,
  folder: string,
): Promise<ChangedFile[]> {
  const tip = await indexUpTo(repositoryId, after);
  const start = before === null ? 0 : ((await findPositions(repositoryId, [before])).get(before)?.seq ?? 0);
  const removed = new Map<string, string>();
  const written = new Map<string, { path: string; after: string }>();
  const changes = await filesBetween(repositoryId, before, after, folder);
  const now = changes.flatMap(({ path, after: file }) => (isFile(file) ? [path] : []));
  const then = changes.flatMap(({ path, before: file }) => (file ? [path] : []));
  const idsNow = await lineagesOnMain(repositoryId, tip.seq, now);
  const idsThen = await lineagesOnMain(repositoryId, start, then);
  for (const { path, ...change } of changes) {
    if (isFile(change.after)) {
      const fileId = idsNow.get(path);
      if (fileId === undefined) throw new Error(`The file ${path} is not indexed.`);
      written.set(fileId, { path, after: change.after.oid });
    }
    const fileId = idsThen.get(path);
    if (change.before && fileId) removed.set(fileId, change.before.oid);
  }
  // A file that moved away may have left its path to a new one with the same content, which the trees do not show.
  const seen = new Set(changes.map(({ path }) => path));
  for (let ids = [...written.keys()].filter((id) => !removed.has(id)); start > 0 && ids.length > 0; ) {
    const next: string[] = [];
    for (const [fileId, path] of await lastPathsOf(repositoryId, start, ids)) {
      const isOutside = folder !== "" && !path.startsWith(`${folder}/`);
      const entry = isOutside || seen.has(path) ? null : await fileAt(repositoryId, after, path);
      seen.add(path);
      if (!entry) continue;
      removed.set(fileId, entry.oid);
      const newId = await lineageOnMain(repositoryId, tip.seq, path);
      if (newId === null || written.has(newId)) continue;
      written.set(newId, { path, after: entry.oid });
      next.push(newId);
    }
    ids = next;
  }
  return [
    ...Array.from(written, ([fileId, file]) => ({ fileId, before: removed.get(fileId) ?? null, ...file })),
    ...Array.from(removed, ([fileId, oid]) => ({ fileId, before: oid, path: null, after: null })).filter(
      ({ fileId }) => !written.has(fileId),
    ),
  ];
}

/** Returns the paths of these files after the commit at `seq`; absent for those that did not exist then. */
async function lastPathsOf(repositoryId: ObjectId, seq: number, ids: readonly string[]): Promise<Map<string, string>> {
  const last = new Map<string, { path: string | null; seq: number }>();
  const entries = collections
    .gitHistory()
    .find({ workspaceId: repositoryId, lineage: { $in: [...ids] }, seq: { $lte: seq } })
    .project<Pick<GitHistoryDoc, "lineage" | "path" | "status" | "seq">>({ lineage: 1, path: 1, status: 1, seq: 1 });
  for await (const { lineage, path, status, seq: at } of entries) {
    if (at >= (last.get(lineage)?.seq ?? 0)) last.set(lineage, { path: status === "deleted" ? null : path, seq: at });
  }
  return new Map([...last].flatMap(([id, { path }]) => (path === null ? [] : [[id, path] as const])));
}

async function fileAt(repositoryId: ObjectId, commit: string, path: string): Promise<TreeEntry | null> {
  const { tree } = await readCommitObject(repositoryId, commit);
  const entry = await findEntry(repositoryId, tree, path);
  return isFile(entry) ? entry : null;
}

/** Returns the files of one folder that differ between two commits. @param before null is an empty folder */
export async function filesBetween(
  repositoryId: ObjectId,
  before: string | null,
  after: string,
  folder: string,
): Promise<TreeChange[]> {
  const trees = [await folderIn(repositoryId, before, folder), await folderIn(repositoryId, after, folder)] as const;
  return diffTrees(repositoryId, ...trees, folder);
}
