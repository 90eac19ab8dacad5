import { createHash } from "node:crypto";
import type { FileChange } from "./commit-diff";
import type { FileStatus } from "./model";

/** A file's change with the id of the file that it happened to. */
export type HistoryChange = {
  lineage: string;
  path: string;
  previousPath: string | null;
  status: FileStatus;
  before: string | null;
  after: string | null;
};

/** Which file stood at a path in a commit; null when no entry tells. */
export type Lookup = (parent: string, path: string) => Promise<string | null>;

/**
 * Gives each change its file: the id that the commit names, else that of the file which stood there before, else one
 * made of the commit that added it. All of it follows from git alone.
 */
export async function toHistory(oid: string, changes: FileChange[], lookup: Lookup): Promise<HistoryChange[]> {
  const out: HistoryChange[] = [];
  for (const { path, previousPath, status, before, after, fileId, parent } of changes) {
    const source = previousPath ?? path;
    const known = status === "added" || parent === null ? null : await lookup(parent, source);
    const inherited = known ?? firstLineage(oid, source);
    if (status === "added") {
      out.push({ lineage: fileId ?? firstLineage(oid, path), path, previousPath, status, before, after });
    } else if (status === "deleted" || fileId === null || fileId === inherited) {
      out.push({ lineage: inherited, path, previousPath, status, before, after });
    } else {
      // Another file has taken the place: the old one ends here, the new one begins.
      out.push({ lineage: inherited, path: source, previousPath: null, status: "deleted", before, after: null });
      out.push({ lineage: fileId, path, previousPath: null, status: "added", before: null, after });
    }
  }
  return out;
}

/**
 * What a folder's history goes by in the index. The slashes keep it apart from the ids and the paths of files.
 * @param folder "" is the root
 */
export function folderLineage(folder: string): string {
  return folder === "" ? "/" : `/${folder}/`;
}

/** One entry for each folder above the changed files, the root always among them. */
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

function firstLineage(oid: string, path: string): string {
  return createHash("sha1").update(`${oid}\0${path}`).digest("hex");
}
