import "server-only";
import { deflateSync } from "node:zlib";
import { fileKinds, TOP_FILES } from "@/lib/features/repository/git/pushed-files";
import { ReceivedPack } from "@/lib/features/repository/git/received-pack";
import { parseAddedPath } from "@/lib/features/repository/service";
import {
  type Commit,
  EMPTY_TREE,
  entryHead,
  type FileMode,
  type GitObject,
  makeTree,
  parseCommit,
  parseTree,
  type TreeEntry,
} from "@/lib/features/repository/wire";
import { AppError } from "@/lib/platform/http/errors";
import type { Scope } from "./schema";

/** A file of the host, by its path from the workspace's root. */
export type HostedFile = { oid: string; mode: FileMode };
/** The new content of each path; null deletes the file. */
export type FileEdits = ReadonlyMap<string, { oid: string } | null>;

/** Same limit as for a push. */
const FILES_MAX = 50_000;
const NO_CONTENT = Buffer.alloc(0);
/** Maximum number of skipped files that are listed. */
const SKIPPED_TOLD = 50;
const APPS = "apps";

/** Whether a link syncs the file at a path, counted from the workspace's root. */
export function isSynced(path: string, scope: Scope): boolean {
  if (scope === "all" && TOP_FILES.has(path)) return true;
  return path.includes("/") && syncedRoots(scope).has(path.slice(0, path.indexOf("/")));
}

function syncedRoots(scope: Scope): ReadonlySet<string> {
  return new Set(scope === "apps" ? [APPS] : fileKinds().map(({ root }) => root));
}

/** One state of a hosted repository: its folders, and the files that the pack contained. */
export class HostedFiles {
  private readonly trees = new Map<string, Buffer>();
  private readonly commits = new Map<string, Commit>();
  private readonly made: GitObject[] = [];
  private pack: ReceivedPack | null = null;

  /** @throws AppError for a pack that is malformed or exceeds its limits when unpacked (T90) */
  static async read(bytes: Buffer, signal: AbortSignal): Promise<HostedFiles> {
    const files = new HostedFiles();
    files.pack = await ReceivedPack.read(bytes, signal, ({ oid, type, content }) => {
      if (type === "tree") files.trees.set(oid, content);
      else if (type === "commit") files.commits.set(oid, parseCommit(content));
    });
    return files;
  }

  /** The state of a repository without a commit. */
  static empty(): HostedFiles {
    return new HostedFiles();
  }

  commit(oid: string): Commit {
    const commit = this.commits.get(oid);
    if (!commit) throw new AppError("source_unreachable", "The host did not send the requested commit.");
    return commit;
  }

  /** Null for content that the pack lacked. */
  async content(oid: string): Promise<Buffer | null> {
    return (await this.pack?.content(oid)) ?? null;
  }

  /**
   * Returns the synced files and, separately, those that a workspace cannot hold: links, submodules, names that git
   * reserves, new names that Git on Windows refuses, and files in `apps/` that are in no app. Contents are not read.
   * @param known paths of the workspace's own files
   */
  synced(
    root: string,
    subdirectory: string,
    scope: Scope,
    known: Iterable<string>,
  ): { files: Map<string, HostedFile>; skipped: { path: string; why: string }[] } {
    const files = new Map<string, HostedFile>();
    const skipped: { path: string; why: string }[] = [];
    const skip = (path: string, why: string) => {
      if (skipped.length < SKIPPED_TOLD) skipped.push({ path, why });
    };
    let folder: string | null = root;
    for (const name of segmentsOf(subdirectory)) {
      const found: TreeEntry | undefined =
        folder === null ? undefined : this.entries(folder).find((e) => e.name === name);
      folder = found?.mode === "40000" ? found.oid : null;
    }
    const knownPaths = withFolders(known);
    const roots = syncedRoots(scope);
    const judgeApp = fileKinds().find((kind) => kind.root === APPS)?.judge ?? (() => null);
    const queue = folder === null ? [] : [{ path: "", oid: folder }];
    for (let at = queue.pop(); at; at = queue.pop()) {
      for (const { mode, name, oid } of this.entries(at.oid)) {
        const path = at.path === "" ? name : `${at.path}/${name}`;
        const isFolder = mode === "40000";
        // The rest of the repository is none of the workspace's files.
        if (at.path === "" && !(isFolder ? roots.has(name) : isSynced(name, scope))) continue;
        if (isFolder) queue.push({ path, oid });
        else if (mode === "120000") skip(path, "a symbolic link");
        else if (mode === "160000") skip(path, "a submodule");
        else {
          const fault = badPath(path, knownPaths) ?? (path.startsWith(`${APPS}/`) ? judgeApp(path, NO_CONTENT) : null);
          if (fault !== null) skip(path, fault);
          else files.set(path, { oid, mode });
          if (files.size > FILES_MAX) {
            throw new AppError("too_large", `A linked repository can have at most ${FILES_MAX} synced files.`);
          }
        }
      }
    }
    return { files, skipped };
  }

  /**
   * Changes some synced files in a tree.
   * @returns the new root; `takeMade` returns the objects that the host lacks
   * @throws AppError `conflict` if a file would replace a folder, or a folder a file
   */
  edit(root: string, subdirectory: string, edits: FileEdits): string {
    const prefix = segmentsOf(subdirectory);
    const nested = [...edits].map(([path, to]) => ({ path: [...prefix, ...path.split("/")], to }));
    const next = this.editFolder(root, nested);
    if (next !== null) return next;
    const empty = makeTree([]);
    this.keep(empty);
    return empty.oid;
  }

  /** Returns the folders that `edit` has created since the last call. */
  takeMade(): GitObject[] {
    return this.made.splice(0);
  }

  private editFolder(oid: string | null, edits: { path: string[]; to: { oid: string } | null }[]): string | null {
    const entries = new Map((oid === null ? [] : this.entries(oid)).map((entry) => [entry.name, entry]));
    const inside = new Map<string, { path: string[]; to: { oid: string } | null }[]>();
    const here: { name: string; to: { oid: string } | null }[] = [];
    for (const { path, to } of edits) {
      const [name = "", ...rest] = path;
      if (rest.length === 0) here.push({ name, to });
      else inside.set(name, [...(inside.get(name) ?? []), { path: rest, to }]);
    }
    for (const { name, to } of here) if (to === null && entries.get(name)?.mode !== "40000") entries.delete(name);
    for (const [name, below] of inside) {
      const existing = entries.get(name);
      if (existing && existing.mode !== "40000") {
        if (below.every(({ to }) => to === null)) continue;
        throw inTheWay(name);
      }
      const next = this.editFolder(existing?.oid ?? null, below);
      if (next === null) entries.delete(name);
      else entries.set(name, { mode: "40000", name, oid: next });
    }
    for (const { name, to } of here) {
      if (to === null) continue;
      const existing = entries.get(name);
      if (existing?.mode === "40000") throw inTheWay(name);
      entries.set(name, { mode: existing?.mode === "100755" ? "100755" : "100644", name, oid: to.oid });
    }
    if (entries.size === 0) return null;
    const tree = makeTree(entries.values());
    if (tree.oid !== oid) this.keep(tree);
    return tree.oid;
  }

  private keep(tree: GitObject): void {
    this.trees.set(tree.oid, tree.content);
    this.made.push(tree);
  }

  private entries(oid: string): TreeEntry[] {
    if (oid === EMPTY_TREE) return [];
    const content = this.trees.get(oid);
    if (!content) throw new AppError("source_unreachable", "The host did not send all folders.");
    return parseTree(content);
  }
}

/** Returns an object in a pack's form. */
export function packedObject({ type, content }: Pick<GitObject, "type" | "content">): Buffer {
  return Buffer.concat([entryHead(type, content.length), deflateSync(content)]);
}

function segmentsOf(folder: string): string[] {
  return folder === "" ? [] : folder.split("/");
}

/** Returns paths of files and of the folders that contain them. */
function withFolders(paths: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const path of paths) {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) all.add(path.slice(0, end));
  }
  return all;
}

function badPath(path: string, known: ReadonlySet<string>): string | null {
  if (TOP_FILES.has(path)) return null;
  try {
    return parseAddedPath(path, (each) => known.has(each)) === path ? null : "a name that is not NFC-normalised";
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function inTheWay(name: string): AppError {
  return new AppError("conflict", `“${name}” is a file on one side and a folder on the other. Rename one of them.`);
}
