import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { ancestryOf } from "./ancestry";
import { collections } from "./collections";
import { type Commit, subjectOf } from "./git-objects";
import type { Author } from "./new-commit";
import { findCommit, readBlob, readCommitObject, readTree } from "./object-store";
import { parseBranch, parseFolder, parsePath } from "./paths";
import { findPositions } from "./positions";
import { findHead, listHeads, MAIN_BRANCH } from "./refs";
import { findEntry, isFile, join } from "./tree-edit";

/** The state to read: a branch (default `main`), or a commit by its id or its first 7..40 digits. */
export type At = { ref?: string; sha?: string };

export type FileContent = { path: string; oid: string; content: Buffer };
export type TreeItem = { path: string; name: string; kind: "file" | "folder"; oid: string };
export type CommitInfo = {
  sha: string;
  parents: string[];
  author: Author;
  date: Date;
  subject: string;
  message: string;
};

/** Git's shortest abbreviation, or a full id. */
const SHA = /^[0-9a-f]{7,40}$/;
const SHA_DIGITS = 40;
/** Maximum number of objects checked for one prefix; with 7 digits and a million objects there are none or one. */
const CANDIDATES_MAX = 50;

/**
 * Reads one file.
 * @throws AppError not_found if the branch, the commit or the file does not exist, or it is not a regular file (T87,
 *   T88)
 */
export async function readFile(input: { repositoryId: ObjectId; path: string } & At): Promise<FileContent> {
  const path = parsePath(input.path);
  const commit = await resolveCommit(input.repositoryId, input);
  const entry = await findEntry(input.repositoryId, commit.tree, path);
  if (!isFile(entry)) throw new AppError("not_found", `File “${path}” not found.`);
  return { path, oid: entry.oid, content: await readBlob(input.repositoryId, entry.oid) };
}

/**
 * Lists the files and folders in a folder ("" is the root), in git's order; with `recursive`, those of all subfolders
 * as well. Links and submodules of foreign histories are left out. A repository without a commit is empty.
 * @throws AppError not_found if the branch, the commit or the folder does not exist
 */
export async function listTree(
  input: { repositoryId: ObjectId; path?: string; recursive?: boolean } & At,
): Promise<TreeItem[]> {
  const { repositoryId, recursive = false } = input;
  const path = parseFolder(input.path ?? "");
  const isMain = input.sha === undefined && (input.ref ?? MAIN_BRANCH) === MAIN_BRANCH;
  if (isMain && path === "" && (await findHead(repositoryId, MAIN_BRANCH)) === null) return [];
  const commit = await resolveCommit(repositoryId, input);
  const root = path === "" ? commit.tree : await folderAt(repositoryId, commit.tree, path);
  const items: TreeItem[] = [];
  await addItems(repositoryId, root, path, recursive, items);
  return items;
}

/** Returns the facts of a stored commit. */
export async function commitInfoOf(repositoryId: ObjectId, sha: string): Promise<CommitInfo> {
  return toCommitInfo(sha, await readCommitObject(repositoryId, sha));
}

export function toCommitInfo(sha: string, commit: Commit): CommitInfo {
  const { name, email, seconds } = commit.author;
  return {
    sha,
    parents: commit.parents,
    author: { name, email },
    date: new Date(seconds * 1000),
    subject: subjectOf(commit.message),
    message: commit.message,
  };
}

/**
 * Returns the full id of a commit, from its first 7..40 digits. Commits that lost a race and are on no branch do not
 * count.
 * @throws AppError invalid_request if malformed, not_found if unknown, conflict if ambiguous
 */
export async function resolveSha(repositoryId: ObjectId, sha: string): Promise<string> {
  const prefix = parseSha(sha);
  const docs = await collections
    .gitObjects()
    .find({ workspaceId: repositoryId, oid: shaRange(prefix), type: "commit" })
    .project<{ oid: string }>({ _id: 0, oid: 1 })
    .limit(CANDIDATES_MAX)
    .toArray();
  const candidates = docs.map(({ oid }) => oid);
  return pickOne(prefix.length === SHA_DIGITS ? candidates : await onBranches(repositoryId, candidates));
}

/** @throws AppError invalid_request (docs/develop/api.md, Consoles: a malformed sha is 400) */
export function parseSha(sha: string): string {
  const lower = sha.toLowerCase();
  if (SHA.test(lower)) return lower;
  throw new AppError("invalid_request", "Commit IDs have 7 to 40 hexadecimal digits.", {
    details: [{ path: "sha", message: "Invalid commit ID." }],
  });
}

/** Returns the range of ids that start with the given digits. */
export function shaRange(prefix: string): { $gte: string; $lt: string } {
  return { $gte: prefix, $lt: `${prefix}g` };
}

/** @throws AppError not_found without an id, conflict for several */
export function pickOne(oids: string[]): string {
  const [oid, ...others] = oids;
  if (oid === undefined) throw new AppError("not_found", "Commit not found.");
  if (others.length > 0) throw new AppError("conflict", "Ambiguous commit ID. Use more digits.");
  return oid;
}

async function resolveCommit(repositoryId: ObjectId, at: At): Promise<Commit> {
  const oid =
    at.sha === undefined
      ? await headOrThrow(repositoryId, at.ref ?? MAIN_BRANCH)
      : await resolveSha(repositoryId, at.sha);
  const commit = await findCommit(repositoryId, oid);
  if (!commit) throw new AppError("not_found", "Commit not found.");
  return commit;
}

/** @throws AppError not_found */
export async function headOrThrow(repositoryId: ObjectId, branch: string): Promise<string> {
  const head = await findHead(repositoryId, parseBranch(branch));
  if (head === null) throw new AppError("not_found", `Branch “${branch}” not found.`);
  return head;
}

async function onBranches(repositoryId: ObjectId, oids: string[]): Promise<string[]> {
  if (oids.length === 0) return [];
  const heads = await listHeads(repositoryId);
  const main = heads.find(({ name }) => name === MAIN_BRANCH);
  if (main) await ancestryOf(repositoryId, main.oid);
  const reachable = new Set((await findPositions(repositoryId, oids)).keys());
  for (const { name, oid } of heads) {
    if (name === MAIN_BRANCH || oids.every((candidate) => reachable.has(candidate))) continue;
    const { side } = await ancestryOf(repositoryId, oid);
    for (const candidate of oids) if (side.has(candidate)) reachable.add(candidate);
  }
  return oids.filter((oid) => reachable.has(oid));
}

async function folderAt(repositoryId: ObjectId, root: string, path: string): Promise<string> {
  const entry = await findEntry(repositoryId, root, path);
  if (entry?.mode !== "40000") throw new AppError("not_found", `Folder “${path}” not found.`);
  return entry.oid;
}

async function addItems(
  repositoryId: ObjectId,
  tree: string,
  folder: string,
  recursive: boolean,
  items: TreeItem[],
): Promise<void> {
  for (const entry of await readTree(repositoryId, tree)) {
    const path = join(folder, entry.name);
    if (entry.mode === "40000") {
      items.push({ path, name: entry.name, kind: "folder", oid: entry.oid });
      if (recursive) await addItems(repositoryId, entry.oid, path, recursive, items);
    } else if (isFile(entry)) items.push({ path, name: entry.name, kind: "file", oid: entry.oid });
  }
}
