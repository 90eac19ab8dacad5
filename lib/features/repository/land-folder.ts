import "server-only";
import type { ObjectId } from "mongodb";
import { withKeyedLock } from "@/lib/platform/http/keyed-lock";
import { ancestryOf, mergeBase } from "./ancestry";
import { indexQuietly } from "./commit-changes";
import { EMPTY_TREE } from "./git-objects";
import { parseResolutions, type ResolutionsInput } from "./merge-branches";
import { type MergeConflict, mergeTrees } from "./merge-trees";
import { type Author, cleanMessage, newCommit } from "./new-commit";
import { readCommitObject, readTree, writeObjects } from "./object-store";
import { parseBranch, parseFolder } from "./paths";
import { findHead, MAIN_BRANCH, moveHead } from "./refs";
import { diffTrees } from "./tree-diff";
import { type Edit, editTree, findEntry, isFile, join } from "./tree-edit";
import { untilWon } from "./until-won";

/** The result of merging a branch's changes into main's folder. Nothing has moved yet. */
export type FolderMerge = {
  /** Main's commit that was merged. */
  mainHead: string | null;
  /** Head of the branch; null if it does not exist. */
  branchHead: string | null;
  /** Main's current folder; null if it has none. */
  before: string | null;
  /** The merged folder. Not valid with conflicts. */
  after: string | null;
  conflicts: MergeConflict[];
};

/**
 * Merges one folder of a branch with main's and ignores the branch's other changes. Paths are relative to the
 * folder. The merged files are stored, so that they can be read before they land.
 * @param resolutions which side to keep at paths that conflict
 */
export async function mergeFolder(input: {
  repositoryId: ObjectId;
  branch: string;
  folder: string;
  resolutions?: ResolutionsInput;
}): Promise<FolderMerge> {
  const { repositoryId } = input;
  const [branch, folder] = [parseBranch(input.branch), parseFolder(input.folder)];
  const resolutions = parseResolutions(input.resolutions ?? {});
  const mainHead = await findHead(repositoryId, MAIN_BRANCH);
  const branchHead = await findHead(repositoryId, branch);
  const before = await folderIn(repositoryId, mainHead, folder);
  const asMain = { mainHead, branchHead, before, after: before, conflicts: [] };
  if (branchHead === null || branchHead === mainHead) return asMain;
  const [own, main] = [
    await ancestryOf(repositoryId, branchHead),
    mainHead === null ? null : await ancestryOf(repositoryId, mainHead),
  ];
  const base = main && (await mergeBase(repositoryId, own, main));
  const trees = {
    base: await folderIn(repositoryId, base, folder),
    ours: before,
    theirs: await folderIn(repositoryId, branchHead, folder),
  };
  if (trees.theirs === trees.base || trees.theirs === before) return asMain;
  const merged = await mergeTrees(repositoryId, trees, resolutions);
  if (merged.conflicts.length > 0) return { ...asMain, conflicts: merged.conflicts };
  await writeObjects(repositoryId, merged.objects);
  return { ...asMain, after: merged.root === EMPTY_TREE ? null : merged.root };
}

/**
 * Creates a commit on main that changes one folder from one known state to another, and nothing else.
 * @returns its id; null if the folder has changed
 */
export async function landFolder(input: {
  repositoryId: ObjectId;
  folder: string;
  before: string | null;
  after: string | null;
  author: Author;
  message: string;
  now?: Date;
}): Promise<string | null> {
  const { repositoryId, before, after, author, now = new Date() } = input;
  const [folder, message] = [parseFolder(input.folder), cleanMessage(input.message)];
  const edits = new Map<string, Edit>(
    (await diffTrees(repositoryId, before, after)).map(({ path, after: entry }) => [
      join(folder, path),
      isFile(entry) ? { mode: entry.mode, oid: entry.oid } : null,
    ]),
  );
  return withKeyedLock(`branch:${repositoryId.toHexString()}/${MAIN_BRANCH}`, async () => {
    const { sha } = await untilWon(async () => {
      const head = await findHead(repositoryId, MAIN_BRANCH);
      if ((await folderIn(repositoryId, head, folder)) !== before) return { sha: null };
      const parent = head === null ? null : { oid: head, commit: await readCommitObject(repositoryId, head) };
      const tree = await editTree(repositoryId, parent?.commit.tree ?? EMPTY_TREE, edits);
      const commit = newCommit({ tree: tree.root, parents: parent ? [parent] : [], author, message, now });
      await writeObjects(repositoryId, [...tree.objects, commit]);
      return (await moveHead(repositoryId, MAIN_BRANCH, head, commit.oid)) ? { sha: commit.oid } : null;
    });
    if (sha !== null) await indexQuietly(repositoryId, sha);
    return sha;
  });
}

/** Returns the tree of a folder in a commit; null if it does not exist. */
export async function folderIn(repositoryId: ObjectId, sha: string | null, folder: string): Promise<string | null> {
  if (sha === null) return null;
  const { tree } = await readCommitObject(repositoryId, sha);
  if (folder === "") return tree;
  const entry = await findEntry(repositoryId, tree, folder);
  return entry?.mode === "40000" ? entry.oid : null;
}

/** Returns the regular files below a tree, by their paths in it, each with its content's id. */
export async function filesIn(repositoryId: ObjectId, tree: string | null, folder = ""): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  if (tree === null) return files;
  for (const entry of await readTree(repositoryId, tree)) {
    const path = join(folder, entry.name);
    if (isFile(entry)) files.set(path, entry.oid);
    else if (entry.mode === "40000") {
      for (const [below, oid] of await filesIn(repositoryId, entry.oid, path)) files.set(below, oid);
    }
  }
  return files;
}
