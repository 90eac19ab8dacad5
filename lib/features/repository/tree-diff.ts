import "server-only";
import type { ObjectId } from "mongodb";
import type { TreeEntry } from "./git-objects";
import { readTree } from "./object-store";
import { join } from "./tree-edit";

/** One file that differs between two trees; null if it is absent. */
export type TreeChange = { path: string; before: TreeEntry | null; after: TreeEntry | null };

/**
 * Returns the files that differ between two trees. Folders with equal ids are not read, so the cost depends on the
 * change.
 */
export async function diffTrees(
  repositoryId: ObjectId,
  before: string | null,
  after: string | null,
  path = "",
): Promise<TreeChange[]> {
  if (before === after) return [];
  const left = new Map(
    (before === null ? [] : await readTree(repositoryId, before)).map((entry) => [entry.name, entry]),
  );
  const right = new Map(
    (after === null ? [] : await readTree(repositoryId, after)).map((entry) => [entry.name, entry]),
  );
  const changes: TreeChange[] = [];
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const a = left.get(name) ?? null;
    const b = right.get(name) ?? null;
    if (a?.oid === b?.oid && a?.mode === b?.mode) continue;
    const at = join(path, name);
    const fileA = a?.mode === "40000" ? null : a;
    const fileB = b?.mode === "40000" ? null : b;
    if (fileA || fileB) changes.push({ path: at, before: fileA, after: fileB });
    const folderA = a?.mode === "40000" ? a.oid : null;
    const folderB = b?.mode === "40000" ? b.oid : null;
    if (folderA || folderB) {
      for (const change of await diffTrees(repositoryId, folderA, folderB, at)) changes.push(change);
    }
  }
  return changes;
}
