import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { findPage, toListFilter } from "@/lib/platform/db/find-page";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { changeItems } from "./change-items";
import type { ItemKind } from "./item-kind";
import { accessOf, type FolderDoc, toFolder, visibleTo } from "./model";
import { endingOf, folderPlaceOf, parseName, placeOf } from "./names";
import { getFolderOrThrow, refuseTaken, spaceIn } from "./placement";
import {
  type CreateFolderBody,
  type DeletedFolder,
  FOLDER_DEPTH_MAX,
  type Folder,
  type UpdateFolderBody,
} from "./schema";

/** Lists the folders that the caller can see, in order of creation: all, or those with these ids. */
export async function listFolders(
  caller: Caller,
  itemKind: ItemKind,
  { ids, ...page }: PageRequest & { ids?: string },
): Promise<Page<Folder>> {
  const filter = { ...visibleTo(caller), ...toListFilter({ ids }) };
  return findPage(itemKind.folders(), filter, page, { order: "oldest" }, toFolder);
}

/**
 * Creates a folder. Git has none without files, so there is nothing to commit.
 * @throws AppError not_found for the parent, invalid_request for a bad name or more than 8 levels, conflict for a name
 * that is taken
 */
export function createFolder(caller: Caller, itemKind: ItemKind, body: CreateFolderBody): Promise<Folder> {
  const { workspaceId, user } = caller;
  return changeItems(caller, itemKind, async (changes) => {
    const { now } = changes;
    const parent = body.parentId ? await getFolderOrThrow(caller, itemKind, body.parentId) : null;
    const space = spaceIn(caller, parent, body.access, null);
    const name = parseName(body.name);
    const place = folderPlaceOf(itemKind.root, parent?.path ?? null, name);
    refuseTooDeep(depthOf(place.path));
    await refuseTaken(itemKind, { workspaceId, space, key: place.key }, null);
    const doc: FolderDoc = {
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
 * Renames a folder, moves it, or changes its access, with all its content, in one commit. The versions of its items
 * stay, since their content in editors has not changed.
 * @throws AppError invalid_request for a circle, more than 8 levels or a bad name; not_found; conflict for a name that
 * is taken; forbidden for making other members' items private
 */
export function updateFolder(
  caller: Caller,
  itemKind: ItemKind,
  folderId: ObjectId,
  body: UpdateFolderBody,
): Promise<Folder> {
  const { workspaceId } = caller;
  return changeItems(caller, itemKind, async (changes) => {
    const { now } = changes;
    const before = await getFolderOrThrow(caller, itemKind, folderId);
    const subtree = await subtreeOf(itemKind, before);
    const changesAccess = body.access !== undefined && body.access !== accessOf(before.space);
    const stays = changesAccess ? null : before.parentId;
    const parentId = body.parentId === undefined ? stays : body.parentId;
    const parent = parentId ? await getFolderOrThrow(caller, itemKind, parentId) : null;
    if (parent && subtree.some(({ _id }) => _id.equals(parent._id))) {
      throw invalid("parentId", "A folder can't be moved into itself or its subfolders.");
    }
    const space = spaceIn(caller, parent, body.access, before.space);
    const name = parseName(body.name ?? before.name, before.name);
    const place = folderPlaceOf(itemKind.root, parent?.path ?? null, name);
    refuseTooDeep(depthOf(place.path) + Math.max(...subtree.map(({ path }) => depthOf(path))) - depthOf(before.path));
    await refuseTaken(itemKind, { workspaceId, space, key: place.key }, folderId);

    const after: FolderDoc = { ...before, name, ...place, parentId: parent?._id ?? null, space, updatedAt: now };
    const moved = new Map([[folderId.toHexString(), after]]);
    for (const folder of subtree.slice(1)) {
      const above = folder.parentId && moved.get(folder.parentId.toHexString());
      moved.set(folder._id.toHexString(), {
        ...folder,
        ...folderPlaceOf(itemKind.root, above?.path ?? null, folder.name),
        space,
      });
    }
    if (changesAccess && body.access === "private") refuseOthers(caller, subtree);
    for (const folder of subtree) changes.updateFolder(folder, moved.get(folder._id.toHexString()) ?? folder);
    for (const doc of await heldIn(itemKind, subtree)) {
      if (changesAccess && body.access === "private") refuseOthers(caller, [doc]);
      const folder = doc.folderId && moved.get(doc.folderId.toHexString());
      changes.update(doc, {
        ...doc,
        ...placeOf(itemKind.root, folder?.path ?? null, doc.name, endingOf(itemKind.root, doc)),
        space,
      });
    }
    changes.message = messageOf(before, after);
    return toFolder(after);
  });
}

/**
 * Deletes a folder; with `recursive` also its content, in one commit.
 * @returns the deleted folders, and the ids of the items in them
 * @throws AppError not_found; conflict when it is not empty and `recursive` is not given
 */
export function deleteFolder(
  caller: Caller,
  itemKind: ItemKind,
  folderId: ObjectId,
  options: { recursive: boolean },
): Promise<DeletedFolder> {
  return changeItems(caller, itemKind, async (changes) => {
    const folder = await getFolderOrThrow(caller, itemKind, folderId);
    const subtree = await subtreeOf(itemKind, folder);
    const held = await heldIn(itemKind, subtree);
    if (!options.recursive && (held.length > 0 || subtree.length > 1)) {
      throw new AppError("conflict", `“${folder.path}” is not empty. Send recursive=true to delete its contents.`, {
        details: { [itemKind.root]: held.length, folders: subtree.length - 1 },
      });
    }
    for (const doc of held) changes.discard(doc);
    for (const each of subtree) changes.removeFolder(each);
    changes.message = `Delete the folder ${folder.path}`;
    const items = held.map(({ _id, folderId: heldIn }) => ({
      id: _id.toHexString(),
      folderId: (heldIn ?? folderId).toHexString(),
    }));
    return { folders: subtree.map(toFolder), items };
  });
}

/** Returns a folder and its descendants, each after its parent. */
async function subtreeOf(itemKind: ItemKind, top: FolderDoc): Promise<FolderDoc[]> {
  const { workspaceId, space } = top;
  const all = await itemKind.folders().find({ workspaceId, space }).toArray();
  const subtree = [top];
  for (const folder of subtree) subtree.push(...all.filter(({ parentId }) => parentId?.equals(folder._id)));
  return subtree;
}

function heldIn(itemKind: ItemKind, folders: FolderDoc[]) {
  const [top] = folders;
  if (!top) return Promise.resolve([]);
  const { workspaceId, space } = top;
  return itemKind
    .items()
    .find({ workspaceId, space, folderId: { $in: folders.map(({ _id }) => _id) } })
    .toArray();
}

function depthOf(path: string): number {
  return path.split("/").length;
}

function messageOf(before: FolderDoc, after: FolderDoc): string {
  if (before.space === after.space) return `Move the folder ${before.path} to ${after.path}`;
  return accessOf(after.space) === "workspace"
    ? `Share the folder ${after.path}`
    : `Make the folder ${after.path} private`;
}

function refuseTooDeep(depth: number): void {
  if (depth > FOLDER_DEPTH_MAX) throw invalid("parentId", `Folders can be nested up to ${FOLDER_DEPTH_MAX} levels.`);
}

/** Refuses to make other members' items private: they would lose access. */
function refuseOthers({ user }: Caller, docs: { ownerId: ObjectId; path: string }[]): void {
  const foreign = docs.find(({ ownerId }) => !ownerId.equals(user._id));
  if (!foreign) return;
  throw new AppError("forbidden", `“${foreign.path}” belongs to another member. Only its owner can make it private.`);
}

function invalid(path: string, message: string): AppError {
  return new AppError("invalid_request", message, { details: [{ path, message }] });
}
