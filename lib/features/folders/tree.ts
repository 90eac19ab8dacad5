import "server-only";
import type { Filter, ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { badCursor, withExtra } from "@/lib/platform/http/paging";
import type { ItemKind } from "./item-kind";
import { FOLDER_COUNT_MAX } from "./limits";
import { type FolderDoc, type ItemDoc, type Space, spaceOf, toFolder } from "./model";
import { getFolderOrThrow } from "./placement";
import type { TreePage, TreeQuery } from "./schema";

type Entry = { key: string };
/** The items of a kind, as lists show them. */
export type TreeItems<D, T> = {
  /** Fields that lists do not show. */
  projection: Readonly<Record<string, 0>>;
  toItems: (docs: D[]) => Promise<T[]>;
};

/**
 * Returns one page of a folder, or of a top level: subfolders in the order of their keys, then items.
 * @throws AppError not_found for a folder that the caller cannot see, invalid_request for a bad cursor
 */
export async function readTreePage<D extends ItemDoc, T>(
  caller: Caller,
  itemKind: ItemKind,
  { folderId, access = "private", limit, cursor }: TreeQuery,
  { projection, toItems }: TreeItems<D, T>,
): Promise<TreePage<T>> {
  const { workspaceId } = caller;
  const folder = folderId ? await getFolderOrThrow(caller, itemKind, folderId) : null;
  const space = folder?.space ?? spaceOf(access, caller.user._id);
  const parentId = folder?._id ?? null;
  const prefix = folder ? `${folder.key}/` : "";
  const after = readTreeCursor(cursor, prefix);
  const inside = { workspaceId, space };
  const folders = after.isInItems
    ? []
    : await itemKind
        .folders()
        .find({ ...inside, parentId, ...after.filter })
        .sort({ key: 1 })
        .limit(withExtra(limit))
        .toArray();
  const left = limit - folders.length;
  const items =
    left < 0
      ? []
      : await itemKind
          .items()
          .find({ ...inside, folderId: parentId, ...(after.isInItems && after.filter) } as Filter<ItemDoc>, {
            projection,
          })
          .sort({ key: 1 })
          .limit(withExtra(left))
          .toArray();
  const shownFolders = folders.slice(0, limit);
  const shownItems = items.slice(0, Math.max(0, left));
  const hasMore = folders.length + items.length > limit;
  const last = shownItems.at(-1) ?? shownFolders.at(-1);
  return {
    trail: folder ? (await trailOf(itemKind, folder)).map(toFolder) : [],
    folders: await Promise.all(
      shownFolders.map(async (each) => ({ ...toFolder(each), count: await countIn(itemKind, each) })),
    ),
    items: await toItems(shownItems as D[]),
    nextCursor: hasMore && last ? toTreeCursor(last, prefix, shownItems.length > 0) : null,
  };
}

/** Returns the folders from the top level to this one. */
async function trailOf(itemKind: ItemKind, { workspaceId, space, key }: FolderDoc): Promise<FolderDoc[]> {
  const names = key.split("/");
  const keys = names.map((_, depth) => names.slice(0, depth + 1).join("/"));
  const found = await itemKind
    .folders()
    .find({ workspaceId, space, key: { $in: keys } })
    .toArray();
  return found.sort((a, b) => a.key.length - b.key.length);
}

/** Counts the items below a folder by their keys, which start with the folder's, up to FOLDER_COUNT_MAX. */
function countIn(
  itemKind: ItemKind,
  { workspaceId, space, key }: { workspaceId: ObjectId; space: Space; key: string },
): Promise<number> {
  // "0" follows "/" in the order of keys.
  const range = { $gt: `${key}/`, $lt: `${key}0` };
  return itemKind.items().countDocuments({ workspaceId, space, key: range }, { limit: FOLDER_COUNT_MAX });
}

function toTreeCursor({ key }: Entry, prefix: string, isInItems: boolean): string {
  return `${isInItems ? "i" : "f"}.${Buffer.from(key.slice(prefix.length)).toString("base64url")}`;
}

function readTreeCursor(
  cursor: string | undefined,
  prefix: string,
): { isInItems: boolean; filter: { key?: { $gt: string } } } {
  if (cursor === undefined) return { isInItems: false, filter: {} };
  const name = Buffer.from(cursor.slice(2), "base64url");
  if (name.toString("base64url") !== cursor.slice(2)) throw badCursor();
  return { isInItems: cursor.startsWith("i"), filter: { key: { $gt: `${prefix}${name.toString()}` } } };
}
