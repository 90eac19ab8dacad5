import "server-only";
import type { ObjectId } from "mongodb";
import { mergeText } from "@/lib/base/text/merge-text";
import { EMPTY_TREE, type GitObject, makeObject, makeTree, type TreeEntry } from "./git-objects";
import { readBlob, readTree } from "./object-store";
import { isText } from "./text-content";
import { isFile, join, refuseCollisions } from "./tree-edit";

/** One side of a conflict; null if the file is absent. `content` is null for a binary file. */
export type ConflictSide = { oid: string; content: string | null } | null;
export type MergeConflict = { path: string; base: ConflictSide; ours: ConflictSide; theirs: ConflictSide };
export type MergedTree = { root: string; objects: GitObject[]; conflicts: MergeConflict[] };

/** The user's resolutions of conflicts: the text or bytes to keep, or null for no file. */
export type Resolutions = ReadonlyMap<string, string | Uint8Array | null>;

type Merge = {
  repositoryId: ObjectId;
  resolutions: Resolutions;
  taken: string | null;
  objects: GitObject[];
  conflicts: MergeConflict[];
};
type Triple<T> = { base: T; ours: T; theirs: T };

/**
 * Three-way merge of trees, by path: a change of only one side is taken, and texts that both changed are merged by
 * lines.
 * @param taken a folder to take from `theirs`, even if the other side changed it too
 */
export async function mergeTrees(
  repositoryId: ObjectId,
  trees: Triple<string | null>,
  resolutions: Resolutions,
  taken: string | null = null,
): Promise<MergedTree> {
  const merge: Merge = { repositoryId, resolutions, taken, objects: [], conflicts: [] };
  const root = await mergeFolder(merge, trees, "");
  if (root === null) merge.objects.push(makeTree([]));
  return { root: root ?? EMPTY_TREE, objects: merge.objects, conflicts: merge.conflicts };
}

async function mergeFolder(merge: Merge, trees: Triple<string | null>, path: string): Promise<string | null> {
  const base = await entriesOf(merge, trees.base);
  const ours = await entriesOf(merge, trees.ours);
  const theirs = await entriesOf(merge, trees.theirs);
  const merged: TreeEntry[] = [];
  for (const name of new Set([...ours.keys(), ...theirs.keys(), ...base.keys()])) {
    const entry = await mergeEntry(
      merge,
      { base: base.get(name) ?? null, ours: ours.get(name) ?? null, theirs: theirs.get(name) ?? null },
      join(path, name),
    );
    if (entry) merged.push({ ...entry, name });
  }
  refuseCollisions(merged, (name) => !ours.has(name), path);
  if (merged.length === 0) return null;
  const tree = makeTree(merged);
  if (tree.oid !== trees.ours) merge.objects.push(tree);
  return tree.oid;
}

async function entriesOf({ repositoryId }: Merge, tree: string | null): Promise<Map<string, TreeEntry>> {
  const entries = tree === null ? [] : await readTree(repositoryId, tree);
  return new Map(entries.map((entry) => [entry.name, entry]));
}

async function mergeEntry(merge: Merge, sides: Triple<TreeEntry | null>, path: string): Promise<TreeEntry | null> {
  const { base, ours, theirs } = sides;
  if (path === merge.taken) return theirs;
  const isAboveTaken = merge.taken?.startsWith(`${path}/`) ?? false;
  if (isSame(ours, theirs) || (isSame(base, theirs) && !isAboveTaken)) return ours;
  if (isSame(base, ours)) return theirs;
  if (isFolder(ours) && isFolder(theirs)) {
    const root = await mergeFolder(
      merge,
      { base: isFolder(base) ? base.oid : null, ours: ours.oid, theirs: theirs.oid },
      path,
    );
    return root === null ? null : { mode: "40000", name: "", oid: root };
  }
  if (merge.resolutions.has(path)) return resolve(merge, sides, merge.resolutions.get(path) ?? null);
  const text = await mergeFiles(merge, sides);
  if (text !== null) return addBlob(merge, sides, text);
  merge.conflicts.push({
    path,
    base: await toSide(merge, base),
    ours: await toSide(merge, ours),
    theirs: await toSide(merge, theirs),
  });
  return ours;
}

async function mergeFiles(merge: Merge, { base, ours, theirs }: Triple<TreeEntry | null>): Promise<Buffer | null> {
  if (!isFile(base) || !isFile(ours) || !isFile(theirs)) return null;
  const contents = await Promise.all([base, ours, theirs].map(({ oid }) => readBlob(merge.repositoryId, oid)));
  if (!contents.every(isText)) return null;
  const [a = "", b = "", c = ""] = contents.map((content) => content.toString("utf8"));
  const text = mergeText(a, b, c);
  return text === null ? null : Buffer.from(text);
}

function resolve(merge: Merge, sides: Triple<TreeEntry | null>, content: string | Uint8Array | null): TreeEntry | null {
  return content === null ? null : addBlob(merge, sides, Buffer.from(content as Uint8Array));
}

function addBlob(merge: Merge, { ours, theirs }: Triple<TreeEntry | null>, content: Buffer): TreeEntry {
  const blob = makeObject("blob", content);
  merge.objects.push(blob);
  const mode = [ours, theirs].find(isFile)?.mode ?? "100644";
  return { mode, name: "", oid: blob.oid };
}

async function toSide({ repositoryId }: Merge, entry: TreeEntry | null): Promise<ConflictSide> {
  if (!entry) return null;
  if (!isFile(entry)) return { oid: entry.oid, content: null };
  const content = await readBlob(repositoryId, entry.oid);
  return { oid: entry.oid, content: isText(content) ? content.toString("utf8") : null };
}

function isFolder(entry: TreeEntry | null): entry is TreeEntry & { mode: "40000" } {
  return entry?.mode === "40000";
}

function isSame(a: TreeEntry | null, b: TreeEntry | null): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}
