import "server-only";
import type { ObjectId } from "mongodb";
import type { Commit, FileHeader, TreeEntry } from "./git-objects";
import type { FileStatus } from "./model";
import { readBlobs, readCommitObject, sizesOf } from "./object-store";
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
 * file with the same, unambiguous content are a rename, and then those that share most of their lines, as in git.
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
  const similar = commit.files.length === 0 ? await similarFiles(repositoryId, changes) : [];
  return pairRenames(changes, commit.files, first, similar);
}

/** Returns the files that differ between two commits, with renames as in a foreign commit. */
export async function changesBetween(
  repositoryId: ObjectId,
  before: string | null,
  after: string,
): Promise<FileChange[]> {
  const from = before === null ? null : (await readCommitObject(repositoryId, before)).tree;
  const { tree } = await readCommitObject(repositoryId, after);
  const changes = await diffTrees(repositoryId, from, tree);
  return pairRenames(changes, [], before, await similarFiles(repositoryId, changes));
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

function pairRenames(
  changes: TreeChange[],
  headers: FileHeader[],
  parent: string | null,
  similar: readonly [string, string][],
): FileChange[] {
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
  const free = changes.filter(({ path }) => isFree(path));
  for (const [from, to] of sameContent(free)) sources.set(to, from);
  if (headers.length === 0) for (const [from, to] of rotations(free, sources)) sources.set(to, from);
  const taken = new Set(sources.values());
  for (const [from, to] of similar) {
    if (taken.has(from) || sources.has(to)) continue;
    taken.add(from);
    sources.set(to, from);
  }
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

/**
 * Returns old and new paths of files that took each other's places with unchanged contents: in a circle, as two files
 * that swap, or in a row from a deleted path to an added one.
 */
function rotations(changes: readonly TreeChange[], known: ReadonlyMap<string, string>): [string, string][] {
  const taken = new Set(known.values());
  const before = new Map<string, string | null>();
  for (const { path, before: entry } of changes) {
    if (!isFile(entry) || taken.has(path) || entry.oid === EMPTY_BLOB) continue;
    // A content that two files had does not tell which of them moved.
    before.set(entry.oid, before.has(entry.oid) ? null : path);
  }
  const moves = new Map<string, string>();
  const targets = new Map<string, string | null>();
  for (const { path, after: entry } of changes) {
    const from = isFile(entry) && !known.has(path) ? before.get(entry.oid) : null;
    if (!from || from === path) continue;
    const other = targets.get(from);
    if (other) moves.delete(other);
    else if (other === undefined) moves.set(path, from);
    targets.set(from, other === undefined ? path : null);
  }
  const byPath = new Map(changes.map((change) => [change.path, change]));
  // A file that stayed at its path, edited, was not moved: only one that another file replaced.
  for (let size = -1; size !== moves.size; ) {
    size = moves.size;
    const sources = new Set(moves.values());
    for (const [to, from] of moves) {
      const isReplaced = !byPath.get(from)?.after || moves.has(from);
      if (!isReplaced || (byPath.get(to)?.before && !sources.has(to))) moves.delete(to);
    }
  }
  return Array.from(moves, ([to, from]) => [from, to]);
}

/** Above these limits, a commit is compared by equal contents only: this runs on the event loop. */
const SIMILAR_PAIRS_MAX = 2_500;
const SIMILAR_BYTES_MAX = 4 * 1024 * 1024;
/** The share of a file that a renamed one must keep; git's default. */
const SIMILAR_MIN = 0.5;

/** Returns pairs of old and new paths whose texts share at least half of their lines, the most similar first. */
async function similarFiles(repositoryId: ObjectId, changes: TreeChange[]): Promise<[string, string][]> {
  const removed = changes.filter(({ before, after }) => isFile(before) && !after);
  const added = changes.filter(({ before, after }) => !before && isFile(after));
  if (removed.length * added.length === 0 || removed.length * added.length > SIMILAR_PAIRS_MAX) return [];
  const oids = [...removed, ...added].flatMap(({ before, after }) => (before ?? after)?.oid ?? []);
  const sizes = await sizesOf(repositoryId, oids);
  if ([...sizes.values()].reduce((sum, size) => sum + size, 0) > SIMILAR_BYTES_MAX) return [];
  const lines = new Map<string, Map<string, number>>();
  for await (const [oid, content] of readBlobs(repositoryId, oids)) lines.set(oid, lineBytes(content));
  const pairs: { from: string; to: string; score: number }[] = [];
  for (const { path: from, before } of removed) {
    for (const { path: to, after } of added) {
      const score = similarity(lines.get(before?.oid ?? ""), lines.get(after?.oid ?? ""));
      if (score >= SIMILAR_MIN) pairs.push({ from, to, score });
    }
  }
  return pairs.toSorted((a, b) => b.score - a.score).map(({ from, to }) => [from, to]);
}

/**
 * Returns for each pair of blobs whether the second is the first, or has at least half of its lines. Pairs beyond the
 * limit of a comparison have to be equal.
 */
export async function shareMostLines(
  repositoryId: ObjectId,
  pairs: readonly (readonly [before: string, after: string])[],
): Promise<boolean[]> {
  const oids = pairs.filter(([before, after]) => before !== after).flat();
  const sizes = await sizesOf(repositoryId, oids);
  const isCompared = oids.reduce((sum, oid) => sum + (sizes.get(oid) ?? 0), 0) <= SIMILAR_BYTES_MAX;
  const lines = new Map<string, Map<string, number>>();
  if (isCompared) {
    for await (const [oid, content] of readBlobs(repositoryId, oids)) lines.set(oid, lineBytes(content));
  }
  return pairs.map(
    ([before, after]) =>
      before === after || (isCompared && similarity(lines.get(before), lines.get(after)) >= SIMILAR_MIN),
  );
}

/** Returns the distinct lines of a text with the bytes that each has in all. */
function lineBytes(content: Buffer): Map<string, number> {
  const lines = new Map<string, number>();
  for (const line of content.toString("latin1").split("\n")) {
    lines.set(line, (lines.get(line) ?? 0) + line.length + 1);
  }
  return lines;
}

function similarity(a: ReadonlyMap<string, number> = new Map(), b: ReadonlyMap<string, number> = new Map()): number {
  const bytesOf = (lines: ReadonlyMap<string, number>) => [...lines.values()].reduce((sum, bytes) => sum + bytes, 0);
  let shared = 0;
  for (const [line, bytes] of a) shared += Math.min(bytes, b.get(line) ?? 0);
  return shared / Math.max(bytesOf(a), bytesOf(b), 1);
}

/** Empty files do not identify their source. */
const EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

function statusOf(before: TreeEntry | null, after: TreeEntry | null): FileStatus {
  if (!before) return "added";
  return after ? "modified" : "deleted";
}
