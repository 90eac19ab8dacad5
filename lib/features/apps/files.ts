import "server-only";
import { isUtf8 } from "node:buffer";
import { ObjectId } from "mongodb";
import { MAX_FILE_BYTES } from "@/lib/features/repository/limits";
import {
  blobId,
  collisionKey,
  isReachable,
  parseAddedPath,
  parsePath,
  readFile,
  sizesOf,
  untilWon,
} from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { publishWorkEvent } from "./events";
import { APP_BYTES_MAX, APP_FILES_MAX, DRAFT_BYTES_MAX, DRAFT_FILES_MAX, JSON_FILE_BYTES_MAX } from "./limits";
import { type AppDoc, type Draft, folderOf } from "./model";
import { findSession } from "./sandbox/registry";
import type { AppFile, TreeItem } from "./schema";
import { getAppDocOrThrow } from "./service";
import { committedFiles, takeUp, type Work, workOn } from "./work";
import { changeDrafts, findWorkbench, forgetContents, readContent, storeContent } from "./workbench";

const MIB = 1024 * 1024;
/** Sent as the id of a file that the client believes not to exist. */
const NO_FILE = "none";

/**
 * Lists all files of an app in the caller's version: the last commit that counts for them, with their drafts on top.
 * Sorted by path.
 * @param sha commit to list instead
 * @throws AppError not_found for a commit that neither the user's branch nor main has
 */
export async function listFiles(caller: Caller, ref: string, sha?: string): Promise<TreeItem[]> {
  const app = await getAppDocOrThrow(caller, ref);
  const { work, drafts } = await asOf(caller, app, sha);
  const items = await withDrafts(work, await committedFiles(work), drafts);
  return [...items.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Reads one file in the caller's version. @throws AppError not_found, too_large for a text that only fits as bytes */
export async function readAppFile(caller: Caller, ref: string, path: string, sha?: string): Promise<AppFile> {
  const { item, content } = await readBytesOf(caller, ref, path, sha);
  if (content.length > JSON_FILE_BYTES_MAX) {
    throw new AppError("too_large", `The file exceeds ${JSON_FILE_BYTES_MAX / MIB} MiB. Use as=raw.`);
  }
  const encoding = isUtf8(content) ? "utf8" : "base64";
  return { ...item, content: content.toString(encoding), encoding };
}

/** Reads the same as bytes. @throws AppError not_found */
export async function readBytesOf(
  caller: Caller,
  ref: string,
  sent: string,
  sha?: string,
): Promise<{ item: TreeItem; content: Buffer }> {
  const app = await getAppDocOrThrow(caller, ref);
  const path = pathIn(app, sent);
  // A draft that another request of the caller replaces during the read is looked up again.
  return untilWon(async () => {
    const { work, drafts } = await asOf(caller, app, sha);
    const draft = drafts.find((each) => each.path === path);
    if (draft?.kind === "delete") throw noFile(path);
    const oid = (await committedFiles(work)).get(path) ?? null;
    if (draft && draft.oid !== oid) {
      const content = await readContent(app.workspaceId, draft);
      return content && { item: toItem(path, draft.oid, draft.bytes, oid === null ? "added" : "modified"), content };
    }
    const { repositoryId, folder, state } = work;
    const { headSha } = state;
    if (oid === null || headSha === null) throw noFile(path);
    const { content } = await readFile({ repositoryId, sha: headSha, path: `${folder}/${path}` });
    return { item: toItem(path, oid, content.length, null), content };
  });
}

/**
 * Writes a file into the caller's drafts of an app. Later requests see it until it is committed or discarded.
 * @param ifOid id of the content last seen; undefined accepts any
 * @throws AppError invalid_request for an invalid path; conflict when the file has changed since, or when its name is
 *   taken in another form; too_large
 */
export async function writeAppFile(
  caller: Caller,
  ref: string,
  sent: string,
  content: Buffer,
  ifOid: string | undefined,
): Promise<TreeItem> {
  const app = await getAppDocOrThrow(caller, ref);
  const path = pathIn(app, sent);
  if (content.length > MAX_FILE_BYTES)
    throw new AppError("too_large", `Files are limited to ${MAX_FILE_BYTES / MIB} MiB.`);
  const oid = blobId(content);
  const contentId = new ObjectId();
  const stored = { is: false };
  let item = toItem(path, oid, content.length, null);
  try {
    await changeDrafts({ app, userId: caller.user._id }, async (drafts, bench) => {
      const work = await takeUp(caller, app);
      const committed = await committedFiles(work);
      const before = await withDrafts(work, committed, drafts);
      const current = before.get(path)?.oid ?? null;
      // A save whose response was lost is sent again: the file has its content already.
      if (current !== oid) refuseUnseen(current, ifOid);
      refuseTwin(before.keys(), path);
      refuseNewName(before.keys(), path);
      const others = drafts.filter((each) => each.path !== path);
      const known = committed.get(path) ?? null;
      // Same as committed: nothing is left to commit.
      if (known === oid) {
        item = toItem(path, oid, content.length, null);
        return others.length === drafts.length ? null : others;
      }
      item = toItem(path, oid, content.length, known === null ? "added" : "modified");
      const baseOid = drafts.find((each) => each.path === path)?.baseOid ?? known;
      const next: Draft[] = [...others, { kind: "put", path, baseOid, oid, bytes: content.length, contentId }];
      refuseTooMuch(next, await withDrafts(work, committed, next));
      if (!stored.is) await storeContent(bench, contentId, content);
      stored.is = true;
      return next;
    });
  } catch (error) {
    await forgetContents(app.workspaceId, [contentId]);
    throw error;
  }
  if (item.draft === null && stored.is) await forgetContents(app.workspaceId, [contentId]);
  await updateSandbox(caller, app, path, content);
  publishWorkEvent(app, caller.user._id);
  return item;
}

/** Deletes a file in the caller's drafts of an app. @throws AppError not_found, conflict as `writeAppFile` */
export async function deleteAppFile(
  caller: Caller,
  ref: string,
  sent: string,
  ifOid: string | undefined,
): Promise<void> {
  const app = await getAppDocOrThrow(caller, ref);
  const path = pathIn(app, sent);
  await changeDrafts({ app, userId: caller.user._id }, async (drafts) => {
    const work = await takeUp(caller, app);
    const committed = await committedFiles(work);
    const current = (await withDrafts(work, committed, drafts)).get(path)?.oid ?? null;
    if (current === null) throw noFile(path);
    refuseUnseen(current, ifOid);
    const others = drafts.filter((each) => each.path !== path);
    const known = committed.get(path) ?? null;
    if (known === null) return others;
    const baseOid = drafts.find((each) => each.path === path)?.baseOid ?? known;
    const next: Draft[] = [...others, { kind: "delete", path, baseOid }];
    refuseTooMany(next);
    return next;
  });
  await updateSandbox(caller, app, path, null);
  publishWorkEvent(app, caller.user._id);
}

/** Updates the running dev server at once. One that has just ended reads the draft when it starts again. */
async function updateSandbox({ user }: Caller, app: AppDoc, path: string, content: Buffer | null): Promise<void> {
  const running = findSession({ workspaceId: app.workspaceId, appId: app._id, userId: user._id });
  await running?.session.writeFile(path, content).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
  });
}

/** Returns the normalised path of a file within an app. @throws AppError invalid_request */
export function pathIn(app: AppDoc, path: string): string {
  const folder = folderOf(app);
  return parsePath(`${folder}/${path}`).slice(folder.length + 1);
}

/** Returns the caller's version, or a commit that they may see: other users' branches are not readable. */
async function asOf(caller: Caller, app: AppDoc, sha: string | undefined): Promise<{ work: Work; drafts: Draft[] }> {
  const work = await workOn(app, caller.user._id);
  if (sha === undefined) return { work, drafts: (await findWorkbench({ app, userId: caller.user._id })).drafts };
  if (!(await isReachable(work.repositoryId, sha, work.branch))) {
    throw new AppError("not_found", "Commit not found on your branch or main.");
  }
  return { work: { ...work, state: { ...work.state, headSha: sha } }, drafts: [] };
}

async function withDrafts(
  { repositoryId }: Work,
  committed: ReadonlyMap<string, string>,
  drafts: readonly Draft[],
): Promise<Map<string, TreeItem>> {
  const sizes = await sizesOf(repositoryId, [...new Set(committed.values())]);
  const items = new Map(
    Array.from(committed, ([path, oid]) => [path, toItem(path, oid, sizes.get(oid) ?? 0, null)] as const),
  );
  for (const draft of drafts) {
    const { path } = draft;
    if (draft.kind === "delete") items.delete(path);
    else if (draft.oid !== committed.get(path)) {
      items.set(path, toItem(path, draft.oid, draft.bytes, committed.has(path) ? "modified" : "added"));
    }
  }
  return items;
}

function toItem(path: string, oid: string, bytes: number, draft: TreeItem["draft"]): TreeItem {
  return { path, oid, bytes, draft };
}

function refuseUnseen(current: string | null, ifOid: string | undefined): void {
  if (ifOid === undefined || ifOid === (current ?? NO_FILE)) return;
  throw new AppError("conflict", "The file has changed since you opened it. Compare, then save again.", {
    details: { oid: current },
  });
}

/** Throws if some file system would treat two names as equal, or if a file and a folder have one name. */
function refuseTwin(paths: Iterable<string>, path: string): void {
  const own = prefixesOf(path);
  for (const other of paths) {
    if (other === path) continue;
    const theirs = prefixesOf(other);
    for (const [key, name] of own) {
      const found = theirs.get(key);
      const isFolderForBoth = name !== path && found !== other;
      if (found === undefined || (found === name && isFolderForBoth)) continue;
      throw new AppError("conflict", `“${found}” already exists. Choose another name.`, { details: { path: found } });
    }
  }
}

/**
 * Checks a new name.
 * @throws AppError invalid_request for a name that Git on Windows refuses, unless a file or folder of the app already
 *   has it
 */
function refuseNewName(paths: Iterable<string>, path: string): void {
  const known = [...paths];
  parseAddedPath(path, (prefix) => known.some((each) => each === prefix || each.startsWith(`${prefix}/`)));
}

/** Returns the path and its parent folders by the keys under which names collide. */
function prefixesOf(path: string): Map<string, string> {
  const segments = path.split("/");
  const keys = segments.map(collisionKey);
  return new Map(segments.map((_, i) => [keys.slice(0, i + 1).join("/"), segments.slice(0, i + 1).join("/")]));
}

function refuseTooMuch(drafts: readonly Draft[], files: ReadonlyMap<string, TreeItem>): void {
  refuseTooMany(drafts);
  const draftBytes = drafts.reduce((sum, draft) => sum + (draft.kind === "put" ? draft.bytes : 0), 0);
  if (draftBytes > DRAFT_BYTES_MAX) {
    throw new AppError("too_large", `Uncommitted changes are limited to ${DRAFT_BYTES_MAX / MIB} MiB. Commit first.`);
  }
  if (files.size > APP_FILES_MAX) throw new AppError("too_large", `Apps are limited to ${APP_FILES_MAX} files.`);
  const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > APP_BYTES_MAX) {
    throw new AppError("too_large", `Apps are limited to ${APP_BYTES_MAX / MIB} MiB.`);
  }
}

function refuseTooMany(drafts: readonly Draft[]): void {
  if (drafts.length <= DRAFT_FILES_MAX) return;
  throw new AppError("too_large", `At most ${DRAFT_FILES_MAX} uncommitted files. Commit first.`);
}

function noFile(path: string): AppError {
  return new AppError("not_found", `File “${path}” not found.`);
}
