import "server-only";
import type { PushLanding } from "@/lib/features/repository/git/pushed-files";
import {
  filesBetween,
  filesReturnedBy,
  findReturned,
  indexQuietly,
  MAIN_BRANCH,
  moveHead,
  readBlobs,
  sizesOf,
} from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { Pacer } from "@/lib/platform/process/pacer";
import { makeChange, settle, withChangesOf } from "./change-items";
import { FOLDERS_MAX } from "./changes";
import { publishPush } from "./events";
import { type ItemKind, itemKinds } from "./item-kind";
import { WORKSPACE_SPACE } from "./model";
import { placeOfFile } from "./names";
import { FOLDER_DEPTH_MAX } from "./schema";

/** Total size of the changed consoles and dashboards of a push, which are all in memory at once. */
const TEXT_BYTES_MAX = 64 * 1024 * 1024;

/** Number of digits of a commit id in events. */
const SHORT_SHA = 7;

type FileChanges = Awaited<ReturnType<typeof filesBetween>>;

/** Checks the consoles and dashboards that differ between two commits. @throws AppError invalid_request */
export const judgePush: PushLanding["judge"] = async (caller, before, after) => {
  const all = await filesBetween(caller.workspaceId, before, after, "");
  await refusePrivate(caller, before, after);
  for (const { itemKind, changes } of ofItemKinds(all)) await judge(caller, itemKind, before, changes);
};

/**
 * Lands a push on main, and writes the consoles and dashboards that it changes.
 * @param host name of the repository at a host from which the files come
 */
export const landPush = async (
  caller: Caller,
  before: string | null,
  after: string,
  host?: string,
): Promise<boolean> => {
  const { workspaceId, user } = caller;
  const all = await filesBetween(workspaceId, before, after, "");
  const push = { sha: after.slice(0, SHORT_SHA), name: host ?? (user.name || user.email), files: all.length };
  const ofKinds = ofItemKinds(all);
  // Making an item private is a commit of main, which then differs from `before`.
  await refusePrivate(caller, before, after);
  if (ofKinds.length === 0) {
    const isMoved = await moveHead(workspaceId, MAIN_BRANCH, before, after);
    if (!isMoved) return false;
    await indexQuietly(workspaceId, after);
    publishPush(workspaceId, user._id, push);
    return true;
  }
  return withChangesOf(workspaceId, async () => {
    for (;;) {
      const main = await settle(workspaceId);
      if (main.oid !== before) return false;
      for (const { itemKind, changes } of ofKinds) await judge(caller, itemKind, before, changes);
      const change = {
        ...{ userId: user._id, at: new Date(), pushed: { before, after }, push },
        ...(host !== undefined && { isFromHost: true }),
      };
      if (await makeChange(workspaceId, main, after, change)) return true;
    }
  });
};

/** Returns the changes of each kind of item that has some. */
function ofItemKinds(all: FileChanges): { itemKind: ItemKind; changes: FileChanges }[] {
  return itemKinds().flatMap((itemKind) => {
    const changes = all.filter(({ path }) => path.startsWith(`${itemKind.root}/`));
    return changes.length > 0 ? [{ itemKind, changes }] : [];
  });
}

/** Checks everything that depends on the workspace; each file was validated before. @throws AppError invalid_request */
async function judge(caller: Caller, itemKind: ItemKind, head: string | null, changes: FileChanges): Promise<void> {
  const { workspaceId } = caller;
  const written = changes.flatMap(({ path, before, after }) =>
    after ? [{ path, oid: after.oid, previous: before?.oid ?? null }] : [],
  );
  const sizes = await sizesOf(
    workspaceId,
    written.map(({ oid }) => oid),
  );
  if (written.reduce((bytes, { oid }) => bytes + (sizes.get(oid) ?? 0), 0) > TEXT_BYTES_MAX) {
    throw bad(`The changed ${itemKind.root} are limited to ${TEXT_BYTES_MAX / 1024 / 1024} MiB. Push in parts.`);
  }
  const added = changes.filter(({ before, after }) => !before && after);
  const removed = changes.filter(({ before, after }) => before && !after);
  const count = await itemKind.items().countDocuments({ workspaceId });
  if (added.length > removed.length && count + added.length - removed.length > itemKind.itemsMax) {
    throw bad(`Limit of ${itemKind.itemsMax} ${itemKind.root} reached. Delete some first.`);
  }
  const files = added.map(({ path }) => path);
  await judgePlaces(caller, itemKind, files);
  await refuseOccupied(
    caller,
    itemKind,
    files,
    removed.map(({ path }) => path),
  );
  const returned = await filesReturnedBy(
    workspaceId,
    head,
    added.flatMap(({ path, after }) => (after ? [{ path, after: after.oid }] : [])),
  );
  const known = new Set([...returned.values()].map(({ before }) => before));
  for (const { before } of changes) if (before) known.add(before.oid);
  await judgeContents(caller, itemKind, written, known);
}

async function judgePlaces({ workspaceId }: Caller, itemKind: ItemKind, files: string[]): Promise<void> {
  if (files.length === 0) return;
  const known = await itemKind
    .folders()
    .find({ workspaceId, space: WORKSPACE_SPACE }, { projection: { key: 1, path: 1 } })
    .toArray();
  const keys = new Set(known.map(({ key }) => key));
  const paths = new Set(known.map(({ path }) => path));
  for (const file of files) {
    const { key, folderPath } = placeOfFile(itemKind, file);
    // An empty folder, which git does not have.
    if (keys.has(key)) throw bad(`${file} has the name of a folder. Choose another name.`);
    const segments = folderPath?.split("/") ?? [];
    if (segments.length > FOLDER_DEPTH_MAX) {
      throw bad(`${file} is in too many folders. Folders can be nested up to ${FOLDER_DEPTH_MAX} levels.`);
    }
    for (let depth = 1; depth <= segments.length; depth++) paths.add(segments.slice(0, depth).join("/"));
  }
  if (paths.size > Math.max(FOLDERS_MAX, known.length)) {
    throw bad(`Limit of ${FOLDERS_MAX} folders reached. Delete some first.`);
  }
}

/** Refuses commits that would bring back an item of main that its owner has made private since. */
async function refusePrivate({ workspaceId }: Caller, before: string | null, after: string): Promise<void> {
  for (const { items, noun } of itemKinds()) {
    const taken = items().find({ workspaceId, space: { $ne: WORKSPACE_SPACE } }, { projection: { _id: 1 } });
    const ids = await taken.map(({ _id }) => _id.toHexString()).toArray();
    const found = await findReturned(workspaceId, before, after, ids);
    if (!found) continue;
    const { path, sha } = found;
    const commit = sha.slice(0, SHORT_SHA);
    throw bad(
      `${path} was made private by its owner. Remove it from commit ${commit}, or add it as a new ${noun} with another name.`,
    );
  }
}

/** Refuses files at the place of an item that git does not have, since a file of main was lost before pushes changed it. */
async function refuseOccupied(
  { workspaceId }: Caller,
  { items, ...itemKind }: ItemKind,
  added: readonly string[],
  removed: readonly string[],
): Promise<void> {
  if (added.length === 0) return;
  const keys = added.map((file) => placeOfFile(itemKind, file).key);
  const found = await items().findOne(
    { workspaceId, space: WORKSPACE_SPACE, key: { $in: keys }, file: { $nin: [...removed] } },
    { projection: { file: 1 } },
  );
  if (found) throw bad(`${found.file} exists in Millrace, but not in git. Save it in Millrace, then fetch.`);
}

async function judgeContents(
  caller: Caller,
  itemKind: ItemKind,
  files: readonly { path: string; oid: string; previous: string | null }[],
  known: ReadonlySet<string>,
): Promise<void> {
  const { workspaceId } = caller;
  const texts = new Map<string, string>();
  const oids = files.flatMap(({ oid, previous }) => (previous === null ? [oid] : [oid, previous]));
  for await (const [oid, content] of readBlobs(workspaceId, oids)) texts.set(oid, content.toString("utf8"));
  const docs = await itemKind
    .items()
    .find({ workspaceId, space: WORKSPACE_SPACE, file: { $in: files.map(({ path }) => path) } })
    .toArray();
  const byFile = new Map(docs.map((doc) => [doc.file, doc]));
  const pacer = new Pacer();
  for (const { path, oid, previous } of files) {
    await pacer.restIfLate();
    const before = byFile.get(path) ?? null;
    const text = texts.get(oid) ?? "";
    try {
      const old = previous === null ? null : (texts.get(previous) ?? null);
      const file = { workspaceId, path, text, previous: old, before, isKnown: known.has(oid) };
      await itemKind.checkFile(caller, file);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw bad(`${path}: ${error.message}`);
    }
  }
}

function bad(message: string): AppError {
  return new AppError("invalid_request", message);
}
