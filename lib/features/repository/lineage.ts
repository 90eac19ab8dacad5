import { createHash } from "node:crypto";
import type { FileChange } from "./commit-diff";
import type { Commit } from "./git-objects";
import type { FileStatus } from "./model";

/** Four bytes. */
const TIME_MAX = 0xffffffff;

/** A change with the id of its file. */
export type HistoryChange = {
  lineage: string;
  path: string;
  previousPath: string | null;
  status: FileStatus;
  before: string | null;
  after: string | null;
};

/** Returns the id of the file at a path in a commit; null if no entry shows it. */
export type Lookup = (parent: string, path: string) => Promise<string | null>;

/**
 * Returns each change with its file: the id in the commit, else the id of the file that was at the path, else one
 * derived from the commit that added it. All of it follows from git alone.
 * @param returned ids of the added files that had been deleted, by path
 */
export async function toHistory(
  oid: string,
  { committer: { seconds } }: Pick<Commit, "committer">,
  changes: FileChange[],
  lookup: Lookup,
  returned: ReadonlyMap<string, string>,
): Promise<HistoryChange[]> {
  const out: HistoryChange[] = [];
  const first = (path: string) => firstLineage(oid, seconds, path);
  for (const { path, previousPath, status, before, after, fileId, parent } of changes) {
    const source = previousPath ?? path;
    const known = status === "added" || parent === null ? null : await lookup(parent, source);
    const inherited = known ?? first(source);
    if (status === "added") {
      out.push({ lineage: fileId ?? returned.get(path) ?? first(path), path, previousPath, status, before, after });
    } else if (status === "deleted" || fileId === null || fileId === inherited) {
      out.push({ lineage: inherited, path, previousPath, status, before, after });
    } else {
      // Another file took the path: the old one ends here, and the new one starts.
      out.push({ lineage: inherited, path: source, previousPath: null, status: "deleted", before, after: null });
      out.push({ lineage: fileId, path, previousPath: null, status: "added", before: null, after });
    }
  }
  return out;
}

/**
 * Returns the key of a folder's history in the index. The slashes keep it apart from the ids and the paths of files.
 * @param folder "" is the root
 */
export function folderLineage(folder: string): string {
  return folder === "" ? "/" : `/${folder}/`;
}

/** Returns one entry for each folder above the changed files, always including the root. */
export function folderChanges(changes: HistoryChange[]): HistoryChange[] {
  return [...foldersAbove(changes)].map((folder) => ({
    lineage: folderLineage(folder),
    path: folderLineage(folder),
    previousPath: null,
    status: "modified",
    before: null,
    after: null,
  }));
}

function foldersAbove(changes: HistoryChange[]): Set<string> {
  const folders = new Set<string>([""]);
  for (const { path, previousPath } of changes) {
    for (const file of [path, previousPath]) {
      let slash = file?.lastIndexOf("/") ?? -1;
      while (file && slash > 0) {
        const folder = file.slice(0, slash);
        if (folders.has(folder)) break;
        folders.add(folder);
        slash = file.lastIndexOf("/", slash - 1);
      }
    }
  }
  return folders;
}

/**
 * Has the form of an ObjectId, of which the first four bytes are the time: the file may be an item, and items are
 * listed in the order of their ids.
 */
function firstLineage(oid: string, seconds: number, path: string): string {
  const time = Math.min(Math.max(seconds, 0), TIME_MAX).toString(16).padStart(8, "0");
  return `${time}${createHash("sha1").update(`${oid}\0${path}`).digest("hex").slice(0, 16)}`;
}
