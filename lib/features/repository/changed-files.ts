import "server-only";
import type { ObjectId } from "mongodb";
import { folderIn } from "./land-folder";
import { indexUpTo } from "./main-index";
import { findPositions, lineagesOnMain } from "./positions";
import { diffTrees, type TreeChange } from "./tree-diff";
import { isFile } from "./tree-edit";

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
  return [
    ...Array.from(written, ([fileId, file]) => ({ fileId, before: removed.get(fileId) ?? null, ...file })),
    ...Array.from(removed, ([fileId, oid]) => ({ fileId, before: oid, path: null, after: null })).filter(
      ({ fileId }) => !written.has(fileId),
    ),
  ];
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
