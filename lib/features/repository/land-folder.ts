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
import { findHead, moveHead, TRUNK } from "./refs";
import { diffTrees } from "./tree-diff";
import { type Edit, editTree, findEntry, isFile, join } from "./tree-edit";
import { untilWon } from "./until-won";

/** The result of merging a branch's changes into the trunk's folder. Nothing has moved yet. */
export type FolderMerge = {
  /** The trunk's commit that was merged. */
  trunkHead: string | null;
  /** Head of the branch; null if it does not exist. */
  branchHead: string | null;
  /** The trunk's current folder; null if it has none. */
  before: string | null;
  /** The merged folder. Not valid with conflicts. */
  after: string | null;
  conflicts: MergeConflict[];
};

/**
 * Merges one folder of a branch with the trunk's and ignores the branch's other changes. Paths are relative to the
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
  const trunkHead = await findHead(repositoryId, TRUNK);
  const branchHead = await findHead(repositoryId, branch);
  const before = await folderIn(repositoryId, trunkHead, folder);
  const asTrunk = { trunkHead, branchHead, before, after: before, conflicts: [] };
  if (branchHead === null || branchHead === trunkHead) return asTrunk;
  const [own, trunk] = [
    await ancestryOf(repositoryId, branchHead),
    trunkHead === null ? null : await ancestryOf(repositoryId, trunkHead),
  ];
  const base = trunk && (await mergeBase(repositoryId, own, trunk));
  const trees = {
    base: await folderIn(repositoryId, base, folder),
    ours: before,
    theirs: await folderIn(repositoryId, branchHead, folder),
  };
  if (trees.theirs === trees.base || trees.theirs === before) return asTrunk;
  const merged = await mergeTrees(repositoryId, trees, resolutions);
  if (merged.conflicts.length > 0) return { ...asTrunk, conflicts: merged.conflicts };
  await writeObjects(repositoryId, merged.objects);
  return { ...asTrunk, after: merged.root === EMPTY_TREE ? null : merged.root };
}

/**
 * Creates a commit on the trunk that changes one folder from one known state to another, and nothing else.
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
  return withKeyedLock(`branch:${repositoryId.toHexString()}/${TRUNK}`, async () => {
    const { sha } = await untilWon(async () => {
      const head = await findHead(repositoryId, TRUNK);
      if ((await folderIn(repositoryId, head, folder)) !== before) return { sha: null };
      const parent = head === null ? null : { oid: head, commit: await readCommitObject(repositoryId, head) };
      const tree = await editTree(repositoryId, parent?.commit.tree ?? EMPTY_TREE, edits);
      const commit = newCommit({ tree: tree.root, parents: parent ? [parent] : [], author, message, now });
      await writeObjects(repositoryId, [...tree.objects, commit]);
      return (await moveHead(repositoryId, TRUNK, head, commit.oid)) ? { sha: commit.oid } : null;
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
