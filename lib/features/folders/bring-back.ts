import "server-only";
import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { changeItems } from "./change-items";
import type { ItemKind } from "./item-kind";
import { accessOf, type Deleted, type FolderDoc, type ItemDoc, visibleTo } from "./model";
import { endingOf } from "./names";
import { freePlace, getFolderOrThrow } from "./placement";

/**
 * Restores a deleted item with its history: to the given folder, else to its old one or, when that is gone, to the top
 * level.
 * @param folderId undefined for its old folder, null for the top level
 * @param nameIn its new name; default: its old name
 * @throws AppError not_found for an item that is not deleted or not visible to the caller, and for the given folder;
 * invalid_request when that folder has another access; conflict when the name is taken
 */
export function bringBack(
  caller: Caller,
  itemKind: ItemKind,
  id: ObjectId,
  folderId: string | null | undefined,
  nameIn: (doc: ItemDoc, folder: FolderDoc | null) => Promise<string> = async ({ name }) => name,
): Promise<ItemDoc> {
  return changeItems(caller, itemKind, async (changes) => {
    const found: Deleted<ItemDoc> | null = await itemKind.deleted().findOne({ _id: id, ...visibleTo(caller) });
    if (!found) throw new AppError("not_found", `Deleted ${itemKind.noun} not found.`);
    const { deletedAt: _, deletedBy: __, ...doc } = found;
    const { workspaceId, space } = doc;
    const folder = folderId
      ? await getFolderOrThrow(caller, itemKind, folderId)
      : folderId === undefined && doc.folderId
        ? await itemKind.folders().findOne({ _id: doc.folderId, workspaceId, space })
        : null;
    if (folder && folder.space !== space) throw otherAccess(itemKind, folder);
    const target = {
      workspaceId,
      space,
      folder,
      name: await nameIn(doc, folder),
      ending: endingOf(itemKind.root, doc),
    };
    const place = await freePlace(itemKind, { ...target, known: target.name }, null);
    const back = { ...doc, ...place, folderId: folder?._id ?? null, version: doc.version + 1, updatedAt: changes.now };
    changes.message = `Bring ${back.path} back`;
    await changes.insert(back);
    return back;
  });
}

/** A restored item keeps its access: unlike a move, the request cannot name another one. */
function otherAccess({ noun }: ItemKind, { path, space }: FolderDoc): AppError {
  const message =
    accessOf(space) === "workspace"
      ? `The folder “${path}” is shared with the workspace, but the ${noun} is private. Choose another folder.`
      : `The folder “${path}” is private, but the ${noun} is shared. Choose another folder.`;
  return new AppError("invalid_request", message, { details: [{ path: "folderId", message }] });
}
