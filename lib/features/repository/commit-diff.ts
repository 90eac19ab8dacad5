import "server-only";
import type { ObjectId } from "mongodb";
import type { Commit, FileHeader, TreeEntry } from "./git-objects";
import type { FileStatus } from "./model";
import { readCommitObject } from "./object-store";
import { diffTrees, type TreeChange } from "./tree-diff";
import { findEntry, isFile } from "./tree-edit";

/** The change of a commit to one file, as git reports it. */
export type FileChange = {
  path: string;
  previousPath: string | null;
  status: FileStatus;
  before: string | null;
  after: string | null;
  /** The file's id in the commit; null if it has none. */
  fileId: string | null;
  /** The parent that contained the file; the first one unless a merge took it from another. */
  parent: string | null;
};

/**
 * Returns the files that a commit changed. A merge shows only the differences from every parent: all others came with
 * another commit. Renames come from the commit's own headers. Foreign commits have none: there, a deleted and an added
 * file with the same, unambiguous content are a rename, as in git.
 */
export async function diffCommit(repositoryId: ObjectId, commit: Commit): Promise<FileChange[]> {
  const [first = null, ...others] = commit.parents;
  const parentTree = first === null ? null : (await readCommitObject(repositoryId, first)).tree;
  const changes = await diffTrees(repositoryId, parentTree, commit.tree);
  if (others.length > 0) return mergeChanges(repositoryId, commit, changes);
  // If a file is moved and the same content is added at its old path, the trees show no difference there.
  const known = new Set(changes.map(({ path }) => path));
  for (const { from } of commit.files) {
    if (from === null || parentTree === null || known.has(from)) continue;
    known.add(from);
    const entry = await findEntry(repositoryId, parentTree, from);
    if (isFile(entry)) changes.push({ path: from, before: entry, after: entry });
  }
  return pairRenames(changes, commit.files, first);
}

async function mergeChanges(repositoryId: ObjectId, commit: Commit, changes: TreeChange[]): Promise<FileChange[]> {
  const out: FileChange[] = [];
  for (const { path, before, after } of changes) {
    const sides = await Promise.all(
      commit.parents.map(async (parent) => ({
        parent,
        entry: await findEntry(repositoryId, (await readCommitObject(repositoryId, parent)).tree, path),
      })),
    );
    if (sides.some(({ entry }) => (entry?.oid ?? null) === (after?.oid ?? null) && entry?.mode === after?.mode))
      continue;
    const source = sides.find(({ entry }) => entry && entry.mode !== "40000");
    out.push({
      path,
      previousPath: null,
      status: statusOf(source?.entry ?? before, after),
      before: source?.entry?.oid ?? null,
      after: after?.oid ?? null,
      fileId: null,
      parent: source?.parent ?? null,
    });
  }
  return out;
}

function pairRenames(changes: TreeChange[], headers: FileHeader[], parent: string | null): FileChange[] {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const sources = new Map<string, string>();
  const fileIds = new Map<string, string>();
  const named = new Set<string>();
  for (const { fileId, path, from } of headers) {
    named.add(path);
    if (fileId !== null) fileIds.set(path, fileId);
    if (from !== null && byPath.get(path)?.after && byPath.get(from)?.before) sources.set(path, from);
  }
  const movedFrom = new Set(sources.values());
  const isFree = (path: string) => !named.has(path) && !movedFrom.has(path);
  for (const [from, to] of sameContent(changes.filter(({ path }) => isFree(path)))) sources.set(to, from);
  const gone = new Set(sources.values());
  const out: FileChange[] = [];
  for (const { path, before, after } of changes) {
    const source = sources.get(path);
    if (after) {
      const old = source === undefined ? before : (byPath.get(source)?.before ?? null);
      // A file at the old path of a moved file is a new one.
      const previous = source === undefined && gone.has(path) ? null : old;
      out.push({
        path,
        previousPath: source ?? null,
        status: source === undefined ? statusOf(previous, after) : "renamed",
        before: previous?.oid ?? null,
        after: after.oid,
        fileId: fileIds.get(path) ?? null,
        parent,
      });
    }
    // A file that a move replaced (two files that swap, or a move onto a deleted one) ends there, unless it was moved
    // itself.
    if (before && !gone.has(path) && (!after || source !== undefined)) {
      out.push({ path, previousPath: null, status: "deleted", before: before.oid, after: null, fileId: null, parent });
    }
  }
  return out;
}

/** Returns pairs of old and new paths whose content occurs once among the deleted and once among the added files. */
function sameContent(changes: TreeChange[]): [string, string][] {
  const count = (side: "before" | "after") => {
    const paths = new Map<string, string[]>();
    for (const change of changes) {
      const entry: TreeEntry | null = change[side];
      if (!entry || (change.before !== null) === (change.after !== null) || entry.oid === EMPTY_BLOB) continue;
      paths.set(entry.oid, [...(paths.get(entry.oid) ?? []), change.path]);
    }
    return paths;
  };
  const removed = count("before");
  const added = count("after");
  return [...removed].flatMap(([oid, [from, ...more]]): [string, string][] => {
    const [to, ...others] = added.get(oid) ?? [];
    return from !== undefined && to !== undefined && more.length + others.length === 0 ? [[from, to]] : [];
  });
}

/** Empty files do not identify their source. */
const EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

function statusOf(before: TreeEntry | null, after: TreeEntry | null): FileStatus {
  if (!before) return "added";
  return after ? "modified" : "deleted";
}
