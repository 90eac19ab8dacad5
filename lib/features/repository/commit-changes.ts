import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { withKeyedLock } from "@/lib/platform/http/keyed-lock";
import { log } from "@/lib/platform/log";
import { EMPTY_TREE, type FileHeader, type GitObject, makeObject } from "./git-objects";
import { MAX_COMMIT_BYTES, MAX_COMMIT_FILES, MAX_FILE_BYTES } from "./limits";
import { indexUpTo } from "./main-index";
import { type Author, cleanMessage, newCommit } from "./new-commit";
import { findCommit, readCommitObject, typesOf, writeObjects } from "./object-store";
import { parseBranch, parseFilePath } from "./paths";
import { findHead, MAIN_BRANCH, moveHead } from "./refs";
import { type Edit, editTree, findEntry, isFile } from "./tree-edit";
import { untilWon } from "./until-won";

/**
 * One file's part of a commit. All changes of a commit refer to the tree before it, so two moves may swap. `fileId` is
 * the file's permanent id (a console's id): 1..64 letters, digits, dashes, underscores. A put with an id that differs
 * from the one of the file at that path replaces it by a new file with a separate history.
 */
export type Change =
  | { kind: "put"; path: string; content: string | Uint8Array; fileId?: string }
  | { kind: "delete"; path: string }
  | { kind: "move"; from: string; to: string; content?: string | Uint8Array; fileId?: string };

export type CommitInput = {
  repositoryId: ObjectId;
  /** Default: `main`, which its first commit creates. */
  branch?: string;
  author: Author;
  message: string;
  changes: Change[];
  /**
   * The commit that the author has seen. If the branch has moved on, the commit lands on top if its paths are unchanged
   * there; otherwise it is a conflict. Default: the branch's head at the call's start.
   */
  expectedHead?: string;
  /** Creates a commit even if no file changes. */
  allowEmpty?: boolean;
  now?: Date;
  /**
   * The number of the change that this commit belongs to, if one change creates commits in several repositories. It
   * shows which commits belong together, and their order. Dates cannot, since they have whole seconds and clocks
   * differ.
   */
  change?: number;
};

export type Committed = {
  /** The new commit; the branch's head if nothing changed. */
  sha: string;
  isNew: boolean;
};

const FILE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Writes one commit (docs/develop/api.md, Consoles). It stores the objects first, then moves the branch by
 * compare-and-set, then updates the history index. If it is interrupted, the branch is consistent and the next reader
 * completes the index.
 * @throws AppError conflict if a touched path has changed since or a name is taken; not_found for a missing branch or
 *   file; invalid_request for a bad path, message or id; too_large; storage_full
 */
export async function commitChanges(input: CommitInput): Promise<Committed> {
  const { repositoryId, branch = MAIN_BRANCH, now = new Date() } = input;
  parseBranch(branch);
  const message = cleanMessage(input.message);
  const plan = planChanges(input.changes);
  return withKeyedLock(`branch:${repositoryId.toHexString()}/${branch}`, async () => {
    // Null is the repository before its first commit, which an author may have seen too.
    let seen: string | null | undefined = input.expectedHead;
    // The first attempt stores the contents with its trees; later attempts have only new trees.
    let contents = plan.blobs;
    const result = await untilWon(async () => {
      const head = await findHead(repositoryId, branch);
      if (head === null && branch !== MAIN_BRANCH) throw new AppError("not_found", `Branch “${branch}” not found.`);
      if (seen === undefined) seen = head;
      if (seen !== head) await refuseTouched(repositoryId, seen, await treeIn(repositoryId, head), plan);
      const made = await makeCommitOn(repositoryId, head, plan, { ...input, message, now });
      if (head !== null && made.oid === head) return { sha: head, isNew: false };
      await writeObjects(repositoryId, [...contents, ...made.objects]);
      contents = [];
      return (await moveHead(repositoryId, branch, head, made.oid)) ? { sha: made.oid, isNew: true } : null;
    });
    if (result.isNew && branch === MAIN_BRANCH) await indexQuietly(repositoryId, result.sha);
    return result;
  });
}

/**
 * Stores a commit on top of a head, without moving a branch to it. Unlike `commitChanges`, it overrules the tree: a
 * file that a change moves or deletes may be missing there.
 * @returns the commit's id; the head if no file changes
 * @throws AppError invalid_request for a bad path, message or id; too_large; storage_full
 */
export async function prepareCommit(
  repositoryId: ObjectId,
  head: string | null,
  input: Required<Pick<CommitInput, "author" | "message" | "changes" | "now">> & Pick<CommitInput, "change">,
): Promise<string | null> {
  const plan = planChanges(input.changes);
  const made = await makeCommitOn(repositoryId, head, plan, {
    ...input,
    message: cleanMessage(input.message),
    overrules: true,
  });
  if (made.oid === head) return head;
  // A move keeps its file's content, which is stored already.
  const isStored =
    plan.moves.size > 0
      ? await typesOf(
          repositoryId,
          plan.blobs.map(({ oid }) => oid),
        )
      : null;
  const blobs = isStored ? plan.blobs.filter(({ oid }) => !isStored.has(oid)) : plan.blobs;
  await writeObjects(repositoryId, [...blobs, ...made.objects]);
  return made.oid;
}

/** Returns the commit of a plan, with its new trees; the head itself if nothing changes. */
async function makeCommitOn(
  repositoryId: ObjectId,
  head: string | null,
  plan: Plan,
  input: Pick<CommitInput, "author" | "message" | "change" | "allowEmpty"> & { now: Date; overrules?: boolean },
): Promise<{ oid: string; objects: GitObject[] }> {
  const base = head === null ? null : { oid: head, commit: await readCommitObject(repositoryId, head) };
  const root = base?.commit.tree ?? EMPTY_TREE;
  const tree = await editTree(repositoryId, root, await toEdits(repositoryId, root, plan, input.overrules ?? false));
  if (base && tree.root === root && !input.allowEmpty) return { oid: base.oid, objects: [] };
  const { author, message, change, now } = input;
  const parents = base ? [base] : [];
  const commit = newCommit({ tree: tree.root, parents, author, message, files: plan.headers, change, now });
  return { oid: commit.oid, objects: [...tree.objects, commit] };
}

async function treeIn(repositoryId: ObjectId, head: string | null): Promise<string> {
  return head === null ? EMPTY_TREE : (await readCommitObject(repositoryId, head)).tree;
}

/** Updates the index and logs an error: the commit has landed, and the next reader completes the index. */
export async function indexQuietly(repositoryId: ObjectId, oid: string): Promise<void> {
  try {
    await indexUpTo(repositoryId, oid);
  } catch (err) {
    log.warn(
      { err, repositoryId: repositoryId.toHexString() },
      "failed to update the history index; the next read completes it",
    );
  }
}

type Plan = {
  puts: Map<string, { oid: string }>;
  deletes: Set<string>;
  /** Target to source; `oid` is null if the content is unchanged. */
  moves: Map<string, { from: string; oid: string | null }>;
  blobs: GitObject[];
  headers: FileHeader[];
};

function planChanges(changes: Change[]): Plan {
  if (changes.length > MAX_COMMIT_FILES) {
    throw new AppError("too_large", `A commit is limited to ${MAX_COMMIT_FILES} files. Save them in parts.`);
  }
  const plan: Plan = { puts: new Map(), deletes: new Set(), moves: new Map(), blobs: [], headers: [] };
  const sources = new Set<string>();
  const targets = new Set<string>();
  const ids = new Set<string>();
  let bytes = 0;
  const claim = (taken: Set<string>, path: string) => {
    if (taken.has(path)) throw badChange(`Duplicate path “${path}” in the commit.`);
    taken.add(path);
    return path;
  };
  const addBlob = (path: string, content: string | Uint8Array) => {
    const blob = makeObject("blob", toBytes(content));
    bytes += blob.content.length;
    if (blob.content.length > MAX_FILE_BYTES) {
      throw new AppError("too_large", `“${path}” is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`);
    }
    if (bytes > MAX_COMMIT_BYTES) throw new AppError("too_large", "A commit is limited to 500 MiB. Save in parts.");
    plan.blobs.push(blob);
    return blob.oid;
  };
  const addHeader = (header: FileHeader) => {
    if (header.fileId !== null) {
      if (!FILE_ID.test(header.fileId))
        throw badChange("File IDs can contain letters, digits, dashes and underscores.");
      claim(ids, header.fileId);
    }
    plan.headers.push(header);
  };
  for (const change of changes) {
    if (change.kind === "delete") plan.deletes.add(claim(sources, parseFilePath(change.path)));
    else if (change.kind === "put") {
      const path = claim(targets, parseFilePath(change.path));
      plan.puts.set(path, { oid: addBlob(path, change.content) });
      if (change.fileId !== undefined) addHeader({ fileId: change.fileId, path, from: null });
    } else {
      const from = claim(sources, parseFilePath(change.from));
      const path = claim(targets, parseFilePath(change.to));
      if (from === path) throw badChange(`“${path}” can't be moved to itself.`);
      plan.moves.set(path, { from, oid: change.content === undefined ? null : addBlob(path, change.content) });
      addHeader({ fileId: change.fileId ?? null, path, from });
    }
  }
  return plan;
}

function badChange(message: string): AppError {
  return new AppError("invalid_request", message, { details: [{ path: "changes", message }] });
}

function toBytes(content: string | Uint8Array): Buffer {
  if (typeof content === "string") return Buffer.from(content, "utf8");
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

function touchedPaths(plan: Plan): Set<string> {
  return new Set([
    ...plan.puts.keys(),
    ...plan.deletes,
    ...plan.moves.keys(),
    ...Array.from(plan.moves.values(), ({ from }) => from),
  ]);
}

/** Refuses a commit whose author has not seen the current content of one of its paths (T111, F10). */
async function refuseTouched(repositoryId: ObjectId, seen: string | null, root: string, plan: Plan): Promise<void> {
  const old = seen === null ? EMPTY_TREE : await treeSeen(repositoryId, seen);
  if (old === root) return;
  for (const path of touchedPaths(plan)) {
    const before = await findEntry(repositoryId, old, path);
    const now = await findEntry(repositoryId, root, path);
    if (before?.oid === now?.oid && before?.mode === now?.mode) continue;
    throw new AppError("conflict", `“${path}” has changed since you opened it. Reload it and save again.`, {
      details: { path },
    });
  }
}

async function treeSeen(repositoryId: ObjectId, seen: string): Promise<string> {
  const commit = await findCommit(repositoryId, seen);
  if (commit) return commit.tree;
  throw new AppError("conflict", "Unknown base version. Reload the file.");
}

/** @param overrules whether missing sources and existing targets are accepted */
async function toEdits(
  repositoryId: ObjectId,
  root: string,
  plan: Plan,
  overrules: boolean,
): Promise<Map<string, Edit>> {
  const edits = new Map<string, Edit>();
  const vacated = new Set<string>(plan.deletes);
  for (const { from } of plan.moves.values()) vacated.add(from);
  for (const path of vacated) {
    if (!overrules && !isFile(await findEntry(repositoryId, root, path)))
      throw new AppError("not_found", `File “${path}” not found.`);
    edits.set(path, null);
  }
  for (const [path, { oid }] of plan.puts) {
    const existing = await findEntry(repositoryId, root, path);
    edits.set(path, { mode: isFile(existing) && !vacated.has(path) ? existing.mode : "100644", oid });
  }
  for (const [path, { from, oid }] of plan.moves) {
    const source = await findEntry(repositoryId, root, from);
    const kept = isFile(source) ? source : null;
    const content = oid ?? kept?.oid;
    if (content === undefined || !(kept || overrules)) throw new AppError("not_found", `File “${from}” not found.`);
    const existing = await findEntry(repositoryId, root, path);
    // This commit may empty a folder: the tree decides.
    if (existing && existing.mode !== "40000" && !vacated.has(path) && !overrules) {
      throw new AppError("conflict", `“${path}” already exists. Choose another name.`, { details: { path } });
    }
    edits.set(path, { mode: kept?.mode ?? "100644", oid: content });
  }
  return edits;
}
