import "server-only";
import type { ObjectId } from "mongodb";
import { folderIn } from "./land-folder";
import { indexUpTo } from "./main-index";
import { findPositions, lineageOnMain } from "./positions";
import { diffTrees, type TreeChange } from "./tree-diff";
import { isFile } from "./tree-edit";

/** A file that differs between two heads of main. Without a path, it was deleted. */
export type ChangedFile = { fileId: string; path: string; oid: string } | { fileId: string; path: null };

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
  const files: ChangedFile[] = [];
  const gone: string[] = [];
  const found = new Set<string>();
  for (const change of await filesBetween(repositoryId, before, after, folder)) {
    const { path } = change;
    if (isFile(change.after)) {
      const fileId = await lineageOnMain(repositoryId, tip.seq, path);
      if (fileId === null) throw new Error(`The file ${path} is not indexed.`);
      found.add(fileId);
      files.push({ fileId, path, oid: change.after.oid });
    }
    if (!change.before) continue;
    const fileId = await lineageOnMain(repositoryId, start, path);
    if (fileId !== null) gone.push(fileId);
  }
  return [...files, ...gone.filter((fileId) => !found.has(fileId)).map((fileId) => ({ fileId, path: null }))];
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
