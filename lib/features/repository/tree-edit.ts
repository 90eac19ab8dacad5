import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { EMPTY_TREE, type FileMode, type GitObject, makeTree, type TreeEntry } from "./git-objects";
import { readTree } from "./object-store";
import { collisionKey } from "./paths";

/** The change of one path: a file's new entry, or null to delete it. */
export type Edit = { mode: FileMode; oid: string } | null;
type Folder = { files: Map<string, Edit>; folders: Map<string, Folder> };

/**
 * Returns the tree after a set of edits. All edits refer to the original tree: one may vacate a path that another
 * takes. Empty folders are removed, as in git.
 * @returns the root's id and the tree objects to store
 * @throws AppError conflict if a file and a folder have the same name, or two names differ only in form
 */
export async function editTree(
  repositoryId: ObjectId,
  root: string,
  edits: ReadonlyMap<string, Edit>,
): Promise<{ root: string; objects: GitObject[] }> {
  const objects: GitObject[] = [];
  const oid = await editFolder(repositoryId, root, nest(edits), "", objects);
  if (oid !== null) return { root: oid, objects };
  return { root: EMPTY_TREE, objects: [makeTree([])] };
}

/** Returns the entry at a path, or null. Read from tree objects alone, never from a disk (T87). */
export async function findEntry(repositoryId: ObjectId, root: string, path: string): Promise<TreeEntry | null> {
  let entry: TreeEntry = { mode: "40000", name: "", oid: root };
  for (const segment of path.split("/")) {
    if (entry.mode !== "40000") return null;
    const next = (await readTree(repositoryId, entry.oid)).find(({ name }) => name === segment);
    if (!next) return null;
    entry = next;
  }
  return entry;
}

type FileEntry = TreeEntry & { mode: "100644" | "100755" };

/** Whether the entry is a regular file, not a folder, link or submodule. */
export function isFile(entry: TreeEntry | null): entry is FileEntry {
  return entry !== null && (entry.mode === "100644" || entry.mode === "100755");
}

/** @throws AppError conflict if some file system would take a new name for an existing one */
export function refuseCollisions(entries: Iterable<TreeEntry>, isNew: (name: string) => boolean, folder: string): void {
  const names = Array.from(entries, ({ name }) => name);
  if (!names.some(isNew)) return;
  const seen = new Map<string, string>();
  for (const name of names) {
    const key = collisionKey(name);
    const other = seen.get(key);
    if (other !== undefined && (isNew(name) || isNew(other))) {
      const [taken, wanted] = isNew(name) ? [other, name] : [name, other];
      throw new AppError(
        "conflict",
        `“${join(folder, wanted)}” and “${join(folder, taken)}” are the same name on some systems. Choose another name.`,
        { details: { path: join(folder, wanted), existing: join(folder, taken) } },
      );
    }
    seen.set(key, name);
  }
}

export function join(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function nest(edits: ReadonlyMap<string, Edit>): Folder {
  const root: Folder = { files: new Map(), folders: new Map() };
  for (const [path, edit] of edits) {
    const segments = path.split("/");
    const name = segments.pop() ?? "";
    let folder = root;
    for (const segment of segments) {
      let next = folder.folders.get(segment);
      if (!next) {
        next = { files: new Map(), folders: new Map() };
        folder.folders.set(segment, next);
      }
      folder = next;
    }
    folder.files.set(name, edit);
  }
  return root;
}

/** @returns the new tree's id; null if it is empty */
async function editFolder(
  repositoryId: ObjectId,
  oid: string | null,
  edits: Folder,
  path: string,
  objects: GitObject[],
): Promise<string | null> {
  const before = new Map((oid === null ? [] : await readTree(repositoryId, oid)).map((entry) => [entry.name, entry]));
  const entries = new Map(before);
  for (const [name, edit] of edits.files) if (edit === null) entries.delete(name);
  for (const [name, folder] of edits.folders) {
    const existing = entries.get(name);
    const inside = existing?.mode === "40000" ? existing.oid : null;
    const next = await editFolder(repositoryId, inside, folder, join(path, name), objects);
    if (next === null) {
      if (inside !== null) entries.delete(name);
      continue;
    }
    if (existing && inside === null) throw nameTaken(join(path, name), "file");
    entries.set(name, { mode: "40000", name, oid: next });
  }
  for (const [name, edit] of edits.files) {
    if (edit === null) continue;
    if (entries.get(name)?.mode === "40000") throw nameTaken(join(path, name), "folder");
    entries.set(name, { ...edit, name });
  }
  refuseCollisions(entries.values(), (name) => !before.has(name), path);
  if (entries.size === 0) return null;
  const tree = makeTree(entries.values());
  if (tree.oid !== oid) objects.push(tree);
  return tree.oid;
}

function nameTaken(path: string, kind: "file" | "folder"): AppError {
  return new AppError("conflict", `A ${kind} named “${path}” already exists. Choose another name.`, {
    details: { path },
  });
}
