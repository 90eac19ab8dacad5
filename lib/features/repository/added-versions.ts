import "server-only";
import type { ObjectId } from "mongodb";
import { ensureIndexed } from "./main-index";
import { readCommitObject, readTree } from "./object-store";
import { type DeletedFile, deletedFilesOf, similarAmong } from "./returned-files";
import { walkCommits } from "./side-commits";
import { isFile, join } from "./tree-edit";

/** A deleted file of main that a commit brings back. */
export type ReturnedFile = { sha: string; path: string; lineage: string };

/**
 * Returns a commit between two heads that brings one of some deleted files of main back, at its last path; null if none
 * does. Each commit counts, also if a later one renames or removes the file again.
 * @param before a head of main, or the commit that a branch has in common with it; null compares with an empty state
 * @param lineages ids of the files
 */
export async function findReturned(
  repositoryId: ObjectId,
  before: string | null,
  after: string,
  lineages: readonly string[],
): Promise<ReturnedFile | null> {
  const main = lineages.length > 0 ? await ensureIndexed(repositoryId) : null;
  if (!main) return null;
  const deleted = await deletedFilesOf(repositoryId, main.seq, lineages);
  if (deleted.size === 0) return null;
  const reader = new BlobReader(repositoryId, [...deleted.keys()]);
  const base = before === null ? null : await reader.read(await treeOf(repositoryId, before));
  for (const path of base?.keys() ?? []) deleted.delete(path);
  const versions = await versionsAdded(repositoryId, after, reader, deleted);
  // Versions of one path are compared in turn: each comparison covers distinct paths.
  for (let turn = versions; turn.length > 0; ) {
    const first = new Map(turn.map((version) => [version.path, version]));
    const [path, file] = [...(await similarAmong(repositoryId, [...first.values()], deleted))][0] ?? [];
    const version = path === undefined ? undefined : first.get(path);
    if (version && file) return { sha: version.sha, path: version.path, lineage: file.lineage };
    turn = turn.filter((each) => first.get(each.path) !== each);
  }
  return null;
}

type Version = { sha: string; path: string; after: string };

/**
 * Returns what the commits that have not landed write at some paths, if one of them adds a file there: each blob of a
 * path once. A commit adds a file that its first parent lacks.
 */
async function versionsAdded(
  repositoryId: ObjectId,
  after: string,
  reader: BlobReader,
  deleted: ReadonlyMap<string, DeletedFile>,
): Promise<Version[]> {
  const versions = new Map<string, Version>();
  const added = new Set<string>();
  for (const [sha, { tree, parents }] of await walkCommits(repositoryId, [after], () => true)) {
    const now = await reader.read(tree);
    if (now.size === 0) continue;
    const [parent] = parents;
    const then = parent === undefined ? null : await reader.read(await treeOf(repositoryId, parent));
    for (const [path, oid] of now) {
      const old = then?.get(path);
      if (old === oid || !deleted.has(path)) continue;
      if (old === undefined) added.add(path);
      const key = `${path}\0${oid}`;
      if (!versions.has(key)) versions.set(key, { sha, path, after: oid });
    }
  }
  return [...versions.values()].filter(({ path }) => added.has(path));
}

async function treeOf(repositoryId: ObjectId, commit: string): Promise<string> {
  return (await readCommitObject(repositoryId, commit)).tree;
}

type Wanted = { isFile: boolean; inside: Map<string, Wanted> };

/** Reads the blobs at some paths in many trees. Each tree is read once. */
class BlobReader {
  private readonly wanted: Wanted = { isFile: false, inside: new Map() };
  private readonly known = new Map<string, ReadonlyMap<string, string>>();

  constructor(
    private readonly repositoryId: ObjectId,
    paths: readonly string[],
  ) {
    for (const path of paths) {
      let at = this.wanted;
      for (const segment of path.split("/")) {
        const next = at.inside.get(segment) ?? { isFile: false, inside: new Map() };
        at.inside.set(segment, next);
        at = next;
      }
      at.isFile = true;
    }
  }

  /** Returns the blobs of a tree by path; those of other paths are absent. */
  read(tree: string): Promise<ReadonlyMap<string, string>> {
    return this.readFolder(tree, this.wanted, "");
  }

  private async readFolder(tree: string, { inside }: Wanted, folder: string): Promise<ReadonlyMap<string, string>> {
    const key = `${folder}\0${tree}`;
    const known = this.known.get(key);
    if (known) return known;
    const found = new Map<string, string>();
    for (const entry of await readTree(this.repositoryId, tree)) {
      const wanted = inside.get(entry.name);
      if (!wanted) continue;
      const path = join(folder, entry.name);
      if (wanted.isFile && isFile(entry)) found.set(path, entry.oid);
      else if (entry.mode === "40000") {
        for (const [at, oid] of await this.readFolder(entry.oid, wanted, path)) found.set(at, oid);
      }
    }
    this.known.set(key, found);
    return found;
  }
}
