import "server-only";
import type { ObjectId } from "mongodb";
import { type Ancestry, ancestryOf, mergeBase } from "./ancestry";
import { collections } from "./collections";
import type { TreeEntry } from "./git-objects";
import { folderIn } from "./land-folder";
import { folderLineage } from "./lineage";
import type { FileStatus } from "./model";
import { findPositions } from "./positions";
import { findHead, MAIN_BRANCH } from "./refs";
import { diffTrees, type TreeChange } from "./tree-diff";

/** One folder on a branch, compared with main. */
export type FolderOnBranch = {
  /** Head of the branch; null if it does not exist. */
  branchHead: string | null;
  /** Whether the branch has changed the folder; if not, main's is shown. */
  isOwn: boolean;
  /** Whether the branch already contains the shown folder. */
  isInBranch: boolean;
  /** The commit whose folder is shown: the branch's head or, until the branch changes the folder, main's. */
  headSha: string | null;
  /** The commit of main to compare the folder with: the common one. */
  baseSha: string | null;
};

/** Changes to a folder on a branch that main lacks, and the reverse. */
export type FolderComparison = {
  /** Number of commits that touch the folder. */
  ahead: number;
  behind: number;
  changes: { path: string; status: FileStatus }[];
};

type Sides = { own: Ancestry; main: Ancestry };

/** Returns the commit whose folder is shown on a branch. Null heads: the repository has no commit. */
export async function folderOnBranch(repositoryId: ObjectId, branch: string, folder: string): Promise<FolderOnBranch> {
  const mainHead = await findHead(repositoryId, MAIN_BRANCH);
  const branchHead = await findHead(repositoryId, branch);
  const asMain = { branchHead, isOwn: false, headSha: mainHead, baseSha: mainHead };
  if (branchHead === null) return { ...asMain, isInBranch: false };
  if (branchHead === mainHead) return { ...asMain, isInBranch: true };
  const inBranch = await folderIn(repositoryId, branchHead, folder);
  const baseSha = mainHead && (await baseOf(repositoryId, await sidesOf(repositoryId, branchHead, mainHead)));
  if (inBranch !== (await folderIn(repositoryId, baseSha, folder))) {
    return { branchHead, isOwn: true, isInBranch: true, headSha: branchHead, baseSha };
  }
  return { ...asMain, isInBranch: inBranch === (await folderIn(repositoryId, mainHead, folder)) };
}

/**
 * Compares a folder on a branch that changed it with main's. The cost grows with the commits that only the branch
 * has.
 */
export async function compareFolder(
  repositoryId: ObjectId,
  { branchHead, isOwn, baseSha }: FolderOnBranch,
  folder: string,
): Promise<FolderComparison> {
  const mainHead = await findHead(repositoryId, MAIN_BRANCH);
  if (!isOwn || branchHead === null || mainHead === null) return { ahead: 0, behind: 0, changes: [] };
  const { own } = await sidesOf(repositoryId, branchHead, mainHead);
  const landed = await findPositions(repositoryId, [...own.side.keys()]);
  const before = await folderIn(repositoryId, baseSha, folder);
  let ahead = 0;
  for (const [oid, { parents }] of own.side) {
    if (landed.has(oid)) continue;
    const now = await folderIn(repositoryId, oid, folder);
    const parts = await Promise.all(parents.map((parent) => folderIn(repositoryId, parent, folder)));
    // Commits that led to the common state have landed, in one commit or another.
    if (now === before) ahead = 0;
    // A merge counts only if its folder differs from all of its parents'.
    else if (parts.length === 0 ? now !== null : !parts.includes(now)) ahead += 1;
  }
  const behind = await collections.gitHistory().countDocuments({
    workspaceId: repositoryId,
    lineage: folderLineage(folder),
    seq: { $gt: own.tip?.seq ?? 0 },
    oid: { $nin: [...landed.keys()] },
  });
  const after = await folderIn(repositoryId, branchHead, folder);
  return { ahead, behind, changes: toChanges(await diffTrees(repositoryId, before, after)) };
}

/**
 * Returns the differences between two states of files, by path. A deleted and an added file with the same content are a
 * rename, as in git.
 */
export function toChanges(changes: readonly TreeChange[]): FolderComparison["changes"] {
  const gone = new Map<string, string[]>();
  for (const { path, before, after } of changes) {
    if (before && !after) gone.set(before.oid, [...(gone.get(before.oid) ?? []), path]);
  }
  const renamed = new Set<string>();
  const statusOf = ({ before, after }: { before: TreeEntry | null; after: TreeEntry | null }): FileStatus => {
    if (before) return after ? "modified" : "deleted";
    const from = after && gone.get(after.oid)?.shift();
    if (!from) return "added";
    renamed.add(from);
    return "renamed";
  };
  return changes
    .map((change) => ({ path: change.path, status: statusOf(change) }))
    .filter(({ path, status }) => status !== "deleted" || !renamed.has(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function sidesOf(repositoryId: ObjectId, branchHead: string, mainHead: string): Promise<Sides> {
  return { own: await ancestryOf(repositoryId, branchHead), main: await ancestryOf(repositoryId, mainHead) };
}

function baseOf(repositoryId: ObjectId, { own, main }: Sides): Promise<string | null> {
  return mergeBase(repositoryId, own, main);
}
