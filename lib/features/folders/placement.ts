import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import type { ItemKind } from "./item-kind";
import { accessOf, type FolderDoc, type ItemDoc, type Place, type Space, spaceOf, visibleTo } from "./model";
import { parseName, placeOf } from "./names";
import type { Access } from "./schema";

/** @throws AppError not_found, the same for another member's private folder and for another workspace's */
export async function getFolderOrThrow(
  caller: Caller,
  itemKind: ItemKind,
  folderId: ObjectId | string,
): Promise<FolderDoc> {
  const folder = await itemKind.folders().findOne({ _id: new ObjectId(folderId), ...visibleTo(caller) });
  if (!folder) throw new AppError("not_found", "Folder not found. Choose another one.");
  return folder;
}

/**
 * Returns the space of an item in a folder. A new item gets the access of its folder. A move into a shared folder must
 * name the access, since it discloses the item.
 * @param asked the access in the request, if any
 * @param current the space of an existing item
 * @throws AppError invalid_request when the folder has another access
 */
export function spaceIn(
  caller: Caller,
  folder: FolderDoc | null,
  asked: Access | undefined,
  current: Space | null,
): Space {
  const wanted = asked ? spaceOf(asked, caller.user._id) : current;
  if (!folder) return wanted ?? spaceOf("private", caller.user._id);
  if (wanted === null || wanted === folder.space) return folder.space;
  const access = accessOf(folder.space);
  const sentence =
    access === "workspace"
      ? `The folder “${folder.path}” is shared. Send access: "workspace" to move it there.`
      : `The folder “${folder.path}” is private. Send access: "private" to move it there.`;
  throw new AppError("invalid_request", sentence, { details: [{ path: "access", message: sentence }] });
}

/** @throws AppError not_found, the same for an unknown item, another workspace's and another member's private one */
export async function getItemOrThrow(caller: Caller, itemKind: ItemKind, id: ObjectId): Promise<ItemDoc> {
  const doc = await itemKind.items().findOne({ _id: id, ...visibleTo(caller) });
  if (!doc) throw noSuch(itemKind);
  return doc;
}

/** Returns the error for an item that does not exist or that the caller cannot see. */
export function noSuch({ noun }: Pick<ItemKind, "noun">): AppError {
  return new AppError("not_found", `${noun.charAt(0).toUpperCase()}${noun.slice(1)} not found.`);
}

/** Returns the keys of all entries in a folder, or at the top level. */
export async function keysIn(
  itemKind: ItemKind,
  { workspaceId, space, folderId }: Pick<ItemDoc, "workspaceId" | "space" | "folderId">,
): Promise<Set<string>> {
  const beside = [
    ...(await itemKind
      .items()
      .find({ workspaceId, space, folderId }, { projection: { key: 1 } })
      .toArray()),
    ...(await itemKind
      .folders()
      .find({ workspaceId, space, parentId: folderId }, { projection: { key: 1 } })
      .toArray()),
  ];
  return new Set(beside.map(({ key }) => key));
}

/**
 * Returns the location of a saved item: the requested folder and access, else its current ones.
 * @throws AppError not_found for the folder, invalid_request when it has another access, forbidden for making another
 * member's item private
 */
export async function placeAsked(
  caller: Caller,
  itemKind: ItemKind,
  before: ItemDoc,
  asked: { access?: Access; folderId?: string | null },
): Promise<{ space: Space; folder: FolderDoc | null }> {
  const changesAccess = asked.access !== undefined && asked.access !== accessOf(before.space);
  if (changesAccess && asked.access === "private" && !before.ownerId.equals(caller.user._id)) {
    throw new AppError("forbidden", `Only the owner of the ${itemKind.noun} can make it private.`);
  }
  // An item that changes sides leaves its folder, which stays on the old side.
  const stays = changesAccess ? null : before.folderId;
  const folderId = asked.folderId === undefined ? stays : asked.folderId;
  const folder = folderId ? await getFolderOrThrow(caller, itemKind, folderId) : null;
  return { space: spaceIn(caller, folder, asked.access, before.space), folder };
}

/** Returns the default commit message of a save. */
export function saveMessage(before: ItemDoc, after: ItemDoc): string {
  if (before.space !== after.space) {
    return accessOf(after.space) === "workspace" ? `Share ${after.path}` : `Make ${after.path} private`;
  }
  if (before.file === after.file) return `Save ${after.path}`;
  return before.folderId?.toHexString() === after.folderId?.toHexString()
    ? `Rename ${before.path} to ${after.path}`
    : `Move ${before.path} to ${after.path}`;
}

/** Returns the error for a save based on an older version. @param current the item, as its route returns it */
export function stale({ noun }: Pick<ItemKind, "noun">, current: unknown): AppError {
  return new AppError("conflict", `Someone else saved this ${noun}. Compare, then save again.`, {
    details: { current },
  });
}

/**
 * Returns a location that no other item has.
 * @param target.known its previous name, if any
 * @param self the item that may already have the location
 * @throws AppError invalid_request for a bad name, conflict when the location is taken
 */
export async function freePlace(
  itemKind: ItemKind,
  target: {
    workspaceId: ObjectId;
    space: Space;
    folder: FolderDoc | null;
    name: string;
    known?: string;
    ending: string;
  },
  self: ObjectId | null,
): Promise<Place & { name: string }> {
  const name = parseName(target.name, target.known);
  const place = placeOf(itemKind.root, target.folder?.path ?? null, name, target.ending);
  await refuseTaken(itemKind, { ...target, key: place.key }, self);
  return { ...place, name };
}

/** Files and folders share one namespace, as in git. @throws AppError conflict */
export async function refuseTaken(
  itemKind: ItemKind,
  { workspaceId, space, key }: { workspaceId: ObjectId; space: Space; key: string },
  self: ObjectId | null,
): Promise<void> {
  const found =
    (await itemKind.items().findOne({ workspaceId, space, key }, { projection: { path: 1 } })) ??
    (await itemKind.folders().findOne({ workspaceId, space, key }, { projection: { path: 1 } }));
  if (!found || (self && found._id.equals(self))) return;
  throw new AppError("conflict", `“${found.path}” already exists. Choose another name.`, {
    details: { path: found.path },
  });
}
