import "server-only";
import type { Collection, ObjectId } from "mongodb";
import type { Deleted, FolderDoc, ItemDoc, JournalDoc } from "./model";

/** One kind of item: in folders, with versions, as files of the workspace's repository. */
export type ItemKind = {
  /** Name of one item, in sentences and in the workspace's events. */
  noun: "console" | "dashboard";
  /** Folder of their files in the repository, and the plural of the noun. */
  root: "consoles" | "dashboards";
  /**
   * Maximum number of items per workspace. A larger number comes from a program. Below it, lists and searches stay
   * fast.
   */
  itemsMax: number;
  items: () => Collection<ItemDoc>;
  folders: () => Collection<FolderDoc>;
  deleted: () => Collection<Deleted<ItemDoc>>;
  journals: () => Collection<JournalDoc>;
  /** Removes data that depends on a deleted item. It is called more than once per item and must be idempotent. */
  forget?: (workspaceId: ObjectId, id: ObjectId) => Promise<void>;
};

/** Returns the accessors without the fields of the specific kind, which folders pass through unread. */
export function itemKindOf<D extends ItemDoc>(itemCollections: {
  items: () => Collection<D>;
  folders: () => Collection<FolderDoc>;
  deleted: () => Collection<Deleted<D>>;
  journals: () => Collection<JournalDoc>;
}): Pick<ItemKind, "items" | "folders" | "deleted" | "journals"> {
  return itemCollections as unknown as Pick<ItemKind, "items" | "folders" | "deleted" | "journals">;
}
