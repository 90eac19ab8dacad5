import type { TreeNode } from "../../../platform/browser/tree-node";

/** Kind of a file, by the extension of its name. */
export type FileKind = "script" | "css" | "html" | "json" | "markdown" | "sql" | "image" | "text";

const KINDS: Record<string, FileKind> = {
  ts: "script",
  tsx: "script",
  mts: "script",
  js: "script",
  jsx: "script",
  mjs: "script",
  css: "css",
  html: "html",
  htm: "html",
  json: "json",
  md: "markdown",
  sql: "sql",
  svg: "image",
  png: "image",
  jpg: "image",
  jpeg: "image",
  webp: "image",
  gif: "image",
  avif: "image",
  ico: "image",
};
/** Image types by extension; an image element accepts no others. */
const IMAGE_TYPES: Record<string, string> = {
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  avif: "image/avif",
  ico: "image/x-icon",
};

export function fileKindOf(path: string): FileKind {
  return KINDS[endingOf(path)] ?? "text";
}

/** Returns the MIME type with which a browser shows a picture; null for other files. */
export function imageTypeOf(path: string): string | null {
  return IMAGE_TYPES[endingOf(path)] ?? null;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the folder of a path; "" for a file at the top level. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function joinPath(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** Returns the new path of a file after a rename of a file or folder; null if the path is not affected. */
export function movedPath(path: string, from: string, to: string): string | null {
  if (path === from) return to;
  return path.startsWith(`${from}/`) ? to + path.slice(from.length) : null;
}

/**
 * Returns the problem with a typed name or a path of new folders; null if it is valid. The server has the final say.
 */
export function faultOfName(typed: string): string | null {
  const names = typed.split("/");
  if (names.some((name) => name.trim() === "")) return "Enter a file name.";
  if (names.some((name) => name === "." || name === "..")) return "File paths must stay inside the app.";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f\\]/.test(typed)) return "File names can't contain backslashes or control characters.";
  return null;
}

export type FileNode<T> = TreeNode & { path: string; file: T | null };

/**
 * Returns the rows of a file tree: folders first, each level by name. The `file` of a folder is null.
 * @param empty new folders without files
 * @param isOpen whether a folder is expanded
 */
export function buildFileTree<T extends { path: string }>(
  files: readonly T[],
  empty: readonly string[],
  isOpen: (folder: string) => boolean,
): FileNode<T>[] {
  const root: Branch<T> = { folders: new Map(), files: [] };
  const branchAt = (folder: string): Branch<T> => {
    let at = root;
    for (const name of folder === "" ? [] : folder.split("/")) {
      const next = at.folders.get(name) ?? { folders: new Map(), files: [] };
      at.folders.set(name, next);
      at = next;
    }
    return at;
  };
  for (const folder of empty) branchAt(folder);
  for (const file of files) branchAt(folderOf(file.path)).files.push(file);
  const rows: FileNode<T>[] = [];
  const add = (branch: Branch<T>, folder: string, level: number) => {
    const names = [...branch.folders.keys()].sort(byName);
    const own = [...branch.files].sort((a, b) => byName(a.path, b.path));
    const setSize = names.length + own.length;
    const parentId = folder === "" ? null : folder;
    names.forEach((name, at) => {
      const path = joinPath(folder, name);
      const isExpanded = isOpen(path);
      rows.push({
        id: path,
        path,
        file: null,
        parentId,
        level,
        label: name,
        isExpanded,
        positionInSet: at + 1,
        setSize,
      });
      const inner = branch.folders.get(name);
      if (isExpanded && inner) add(inner, path, level + 1);
    });
    own.forEach((file, at) => {
      const { path } = file;
      const positionInSet = names.length + at + 1;
      rows.push({ id: path, path, file, parentId, level, label: nameOf(path), positionInSet, setSize });
    });
  };
  add(root, "", 0);
  return rows;
}

type Branch<T> = { folders: Map<string, Branch<T>>; files: T[] };

function byName(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

function endingOf(path: string): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/** A file that differs between two states of an app. */
export type FileDifference = { path: string; status: "added" | "modified" | "deleted" };

/** Returns the differences between two trees, by path. */
export function differencesOf(
  before: readonly { path: string; oid: string }[],
  after: readonly { path: string; oid: string }[],
): FileDifference[] {
  const old = new Map(before.map(({ path, oid }) => [path, oid]));
  const now = new Map(after.map(({ path, oid }) => [path, oid]));
  const differences: FileDifference[] = [];
  for (const [path, oid] of now) {
    const known = old.get(path);
    if (known === undefined) differences.push({ path, status: "added" });
    else if (known !== oid) differences.push({ path, status: "modified" });
  }
  for (const path of old.keys()) if (!now.has(path)) differences.push({ path, status: "deleted" });
  return differences.sort((a, b) => (a.path < b.path ? -1 : 1));
}
