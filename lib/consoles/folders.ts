import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import { AppError } from "@/lib/http/errors";
import { type Page, type PageRequest, readCursor, toPage, withExtra } from "@/lib/http/paging";
import { collections } from "./collections";
import { changeConsoles } from "./journal";
import { accessOf, type ConsoleFolderDoc, toFolder, visibleTo } from "./model";
import { consolePathOf, folderPlaceOf, parseName } from "./names";
import { getFolderOrThrow, refuseTaken, spaceIn } from "./placement";
import { type ConsoleFolder, type CreateFolderBody, FOLDER_DEPTH_MAX, type UpdateFolderBody } from "./schema";

/** The folders that the caller may see, in the order in which they were made. */
export async function listFolders(caller: Caller, { limit, cursor }: PageRequest): Promise<Page<ConsoleFolder>> {
  const after = readCursor(cursor);
  const docs = await collections
    .consoleFolders()
    .find({ ...visibleTo(caller), ...(after && { _id: { $gt: after } }) })
    .sort({ _id: 1 })
    .limit(withExtra(limit))
    .toArray();
  return toPage(docs, limit, toFolder);
}

/**
 * Makes a folder. Git has none without files, so there is nothing to commit.
 * @throws AppError not_found for the parent, invalid_request for a bad name or more than 8 levels, conflict for a name
 *   that is taken
 */
export function createFolder(caller: Caller, body: CreateFolderBody): Promise<ConsoleFolder> {
  const { workspaceId, user } = caller;
  return changeConsoles(caller, async (changes) => {
    const { now } = changes;
    const parent = body.parentId ? await getFolderOrThrow(caller, body.parentId) : null;
    const space = spaceIn(caller, parent, body.access, null);
    const name = parseName(body.name);
    const place = folderPlaceOf(parent?.path ?? null, name);
    refuseTooDeep(depthOf(place.path));
    await refuseTaken({ workspaceId, space, key: place.key }, null);
    const doc: ConsoleFolderDoc = {
      _id: new ObjectId(),
      workspaceId,
      space,
      ownerId: user._id,
      parentId: parent?._id ?? null,
      name,
      ...place,
      seq: 0,
      createdAt: now,
      updatedAt: now,
    };
    await changes.insertFolder(doc);
    return toFolder(doc);
  });
}

/**
 * Renames a folder, moves it, or changes who sees it, with all that it holds: one commit. The versions of its consoles
 * stay, since what their editors show has not changed.
 * @throws AppError invalid_request for a circle, more than 8 levels or a bad name; not_found; conflict for a name that
 *   is taken; forbidden for who makes private what others have made
 */
export function updateFolder(caller: Caller, folderId: ObjectId, body: UpdateFolderBody): Promise<ConsoleFolder> {
  const { workspaceId } = caller;
  return changeConsoles(caller, async (changes) => {
    const { now } = changes;
    const before = await getFolderOrThrow(caller, folderId);
    const subtree = await subtreeOf(before);
    const changesAccess = body.access !== undefined && body.access !== accessOf(before.space);
    const stays = changesAccess ? null : before.parentId;
    const parentId = body.parentId === undefined ? stays : body.parentId;
    const parent = parentId ? await getFolderOrThrow(caller, parentId) : null;
    if (parent && subtree.some(({ _id }) => _id.equals(parent._id))) {
      throw invalid("parentId", "A folder cannot be moved into itself or into a folder that it holds.");
    }
    const space = spaceIn(caller, parent, body.access, before.space);
    const name = parseName(body.name ?? before.name);
    const place = folderPlaceOf(parent?.path ?? null, name);
    refuseTooDeep(depthOf(place.path) + Math.max(...subtree.map(({ path }) => depthOf(path))) - depthOf(before.path));
    await refuseTaken({ workspaceId, space, key: place.key }, folderId);

    const after: ConsoleFolderDoc = { ...before, name, ...place, parentId: parent?._id ?? null, space, updatedAt: now };
    const moved = new Map([[folderId.toHexString(), after]]);
    for (const folder of subtree.slice(1)) {
      const above = folder.parentId && moved.get(folder.parentId.toHexString());
      moved.set(folder._id.toHexString(), { ...folder, ...folderPlaceOf(above?.path ?? null, folder.name), space });
    }
    if (changesAccess && body.access === "private") refuseOthers(caller, subtree);
    for (const folder of subtree) changes.updateFolder(folder, moved.get(folder._id.toHexString()) ?? folder);
    for (const doc of await consolesIn(subtree)) {
      if (changesAccess && body.access === "private") refuseOthers(caller, [doc]);
      const folder = doc.folderId && moved.get(doc.folderId.toHexString());
      changes.update(doc, { ...doc, ...consolePathOf(folder?.path ?? null, doc.name, doc.language), space });
    }
    changes.message = messageOf(before, after);
    return toFolder(after);
  });
}

/**
 * Deletes a folder; with `recursive` also all that it holds, in one commit.
 * @throws AppError not_found; conflict when it is not empty and `recursive` is not given
 */
export function deleteFolder(caller: Caller, folderId: ObjectId, options: { recursive: boolean }): Promise<void> {
  return changeConsoles(caller, async (changes) => {
    const folder = await getFolderOrThrow(caller, folderId);
    const subtree = await subtreeOf(folder);
    const held = await consolesIn(subtree);
    if (!options.recursive && (held.length > 0 || subtree.length > 1)) {
      throw new AppError("conflict", `“${folder.path}” is not empty. To delete all in it, send recursive=true.`, {
        details: { consoles: held.length, folders: subtree.length - 1 },
      });
    }
    for (const doc of held) changes.discard(doc);
    for (const each of subtree) changes.removeFolder(each);
    changes.message = `Delete the folder ${folder.path}`;
  });
}

/** A folder and all below it, each after its parent. */
async function subtreeOf(top: ConsoleFolderDoc): Promise<ConsoleFolderDoc[]> {
  const { workspaceId, space } = top;
  const all = await collections.consoleFolders().find({ workspaceId, space }).toArray();
  const subtree = [top];
  for (const folder of subtree) subtree.push(...all.filter(({ parentId }) => parentId?.equals(folder._id)));
  return subtree;
}

function consolesIn(folders: ConsoleFolderDoc[]) {
  const [top] = folders;
  if (!top) return Promise.resolve([]);
  const { workspaceId, space } = top;
  return collections
    .consoles()
    .find({ workspaceId, space, folderId: { $in: folders.map(({ _id }) => _id) } })
    .toArray();
}

function depthOf(path: string): number {
  return path.split("/").length;
}

function messageOf(before: ConsoleFolderDoc, after: ConsoleFolderDoc): string {
  if (before.space === after.space) return `Move the folder ${before.path} to ${after.path}`;
  return accessOf(after.space) === "workspace"
    ? `Share the folder ${after.path}`
    : `Make the folder ${after.path} private`;
}

function refuseTooDeep(depth: number): void {
  if (depth > FOLDER_DEPTH_MAX) throw invalid("parentId", `Folders go ${FOLDER_DEPTH_MAX} levels deep at the most.`);
}

/** What is private is its owner's alone, so others would lose theirs. */
function refuseOthers({ user }: Caller, docs: { ownerId: ObjectId; path: string }[]): void {
  const foreign = docs.find(({ ownerId }) => !ownerId.equals(user._id));
  if (!foreign) return;
  throw new AppError("forbidden", `“${foreign.path}” is another member's: only its owner can make it private.`);
}

function invalid(path: string, message: string): AppError {
  return new AppError("invalid_request", message, { details: [{ path, message }] });
}
