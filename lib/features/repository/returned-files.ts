import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "./collections";
import { type FileChange, shareMostLines } from "./commit-diff";
import type { Commit } from "./git-objects";
import type { GitHistoryDoc } from "./model";
import { findPositions } from "./positions";

/** A file that was deleted: its id, and its last blob. */
export type DeletedFile = { lineage: string; before: string };
/** Returns the files that were last at these paths, if they were deleted there and exist nowhere else. */
export type FindDeleted = (parent: string, paths: readonly string[]) => Promise<Map<string, DeletedFile>>;

type Entry = Pick<GitHistoryDoc, "lineage" | "path" | "status" | "before" | "seq">;

/** Maximum number of paths in one query. */
const PATHS_AT_ONCE = 1_000;

/**
 * Returns the ids of the files that a foreign commit brings back: those that it adds at the path of a deleted file, with
 * its content or at least half of its lines, as `git revert` does.
 */
export async function returnedFiles(
  repositoryId: ObjectId,
  { files, parents }: Pick<Commit, "files" | "parents">,
  changes: readonly FileChange[],
  findDeleted: FindDeleted,
): Promise<Map<string, string>> {
  const [parent] = parents;
  if (files.length > 0 || parent === undefined || parents.length > 1) return new Map();
  const added = changes.flatMap(({ path, status, after }) => (status === "added" && after ? [{ path, after }] : []));
  if (added.length === 0) return new Map();
  const deleted = await findDeleted(
    parent,
    added.map(({ path }) => path),
  );
  const returned = await similarAmong(repositoryId, added, deleted);
  return new Map(Array.from(returned, ([path, { lineage }]) => [path, lineage]));
}

/**
 * Returns the deleted files that these would bring back, by path, if a foreign commit added them on top of a head of
 * main.
 */
export async function filesReturnedBy(
  repositoryId: ObjectId,
  head: string | null,
  added: readonly { path: string; after: string }[],
): Promise<Map<string, DeletedFile>> {
  const position = head && added.length > 0 ? (await findPositions(repositoryId, [head])).get(head) : undefined;
  if (!position) return new Map();
  const paths = added.map(({ path }) => path);
  return similarAmong(repositoryId, added, await deletedOnMain(repositoryId, position.seq, paths));
}

/**
 * Returns the deleted files of main after the commit at `seq`, by their last path.
 * @param unwritten later entries that are not stored yet
 */
export async function deletedOnMain(
  repositoryId: ObjectId,
  seq: number,
  paths: readonly string[],
  unwritten: readonly Entry[] = [],
): Promise<Map<string, DeletedFile>> {
  const found = new Map<string, Entry>();
  for (let from = 0; from < paths.length; from += PATHS_AT_ONCE) {
    const part = new Set(paths.slice(from, from + PATHS_AT_ONCE));
    const stored = await entriesOf({ workspaceId: repositoryId, path: { $in: [...part] }, status: "deleted" }, seq);
    const own = unwritten.filter(({ path, status }) => status === "deleted" && part.has(path));
    for (const entry of [...stored, ...own]) {
      if (entry.seq >= (found.get(entry.path)?.seq ?? 0)) found.set(entry.path, entry);
    }
  }
  const deletedAt = new Map(Array.from(found.values(), (entry) => [entry.lineage, entry.seq]));
  const isLater = (entry: Entry) => entry.seq > (deletedAt.get(entry.lineage) ?? Number.POSITIVE_INFINITY);
  const lineages = [...deletedAt.keys()];
  const later = new Set(unwritten.filter(isLater).map(({ lineage }) => lineage));
  for (let from = 0; from < lineages.length; from += PATHS_AT_ONCE) {
    const part = lineages.slice(from, from + PATHS_AT_ONCE);
    const first = Math.min(...part.map((lineage) => deletedAt.get(lineage) ?? 0));
    for (const entry of await entriesOf({ workspaceId: repositoryId, lineage: { $in: part } }, seq, first)) {
      if (isLater(entry)) later.add(entry.lineage);
    }
  }
  return new Map(
    [...found].flatMap(([path, { lineage, before }]): [string, DeletedFile][] =>
      before === null || later.has(lineage) ? [] : [[path, { lineage, before }]],
    ),
  );
}

/** Returns those of some files that main had and has deleted, by their last path there. */
export async function deletedFilesOf(
  repositoryId: ObjectId,
  seq: number,
  lineages: readonly string[],
): Promise<Map<string, DeletedFile>> {
  const paths = new Set<string>();
  for (let from = 0; from < lineages.length; from += PATHS_AT_ONCE) {
    const part = lineages.slice(from, from + PATHS_AT_ONCE);
    const filter = { workspaceId: repositoryId, lineage: { $in: part }, status: "deleted" };
    for (const { path } of await entriesOf(filter, seq)) paths.add(path);
  }
  const own = new Set(lineages);
  const found = await deletedOnMain(repositoryId, seq, [...paths]);
  return new Map([...found].filter(([, { lineage }]) => own.has(lineage)));
}

/** Returns history entries up to a position, and after another. */
function entriesOf(filter: object, upTo: number, after = 0): Promise<Entry[]> {
  return collections
    .gitHistory()
    .find({ ...filter, seq: { $gt: after, $lte: upTo } })
    .project<Entry>({ _id: 0, lineage: 1, path: 1, status: 1, before: 1, seq: 1 })
    .toArray();
}

/** Returns the deleted files that files at their paths would bring back, by path. */
export async function similarAmong(
  repositoryId: ObjectId,
  added: readonly { path: string; after: string }[],
  deleted: ReadonlyMap<string, DeletedFile>,
): Promise<Map<string, DeletedFile>> {
  const pairs = added.flatMap(({ path, after }) => {
    const file = deleted.get(path);
    return file ? [{ path, after, file }] : [];
  });
  const similar = await shareMostLines(
    repositoryId,
    pairs.map(({ file, after }) => [file.before, after]),
  );
  return new Map(pairs.flatMap(({ path, file }, index) => (similar[index] ? [[path, file] as const] : [])));
}
