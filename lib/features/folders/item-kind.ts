import "server-only";
import type { Collection, ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { serverMember } from "@/lib/platform/process/server-context";
import type { Deleted, FolderDoc, ItemDoc, ItemNoun, ItemRoot } from "./model";

/** A file of main that a push has written. */
export type ItemFile = {
  workspaceId: ObjectId;
  path: string;
  text: string;
  /** Its text before the push; null for a new file. */
  previous: string | null;
  /** The item before the push; null for a new one. */
  before: ItemDoc | null;
};

/** A file of a push that is not in main yet. */
export type PushedFile = ItemFile & {
  /** Whether main has, or had, a file with this text: the push moved or restored it. */
  isKnown: boolean;
};

/** The item of a pushed file, and the user whose rights its work gets. */
export type FollowedItem = {
  id: ObjectId;
  userId: ObjectId;
  /** Whether the file comes from a repository host. */
  isFromHost: boolean;
  /** Whether main has not changed: its items are restored from it. */
  isRestored: boolean;
};

/** One kind of item: in folders, with versions, as files of the workspace's repository. */
export type ItemKind = {
  /** Name of one item, in sentences and in the workspace's events. */
  noun: ItemNoun;
  /** Folder of their files in the repository, and the plural of the noun. */
  root: ItemRoot;
  /** Extensions of their files, with the dot. */
  endings: readonly string[];
  /**
   * Maximum number of items per workspace. A larger number comes from a program. Below it, lists and searches stay
   * fast.
   */
  itemsMax: number;
  items: () => Collection<ItemDoc>;
  folders: () => Collection<FolderDoc>;
  deleted: () => Collection<Deleted<ItemDoc>>;
  /** Fields with the texts that searches read. A write of one has all of them. */
  searchedFields?: readonly string[];
  /** Removes data that depends on a deleted item. It is called more than once per item and must be idempotent. */
  forget?: (workspaceId: ObjectId, id: ObjectId) => Promise<void>;
  /** Returns the files of items, by id: their content, and what else of them git stores. */
  textsOf: (workspaceId: ObjectId, docs: readonly ItemDoc[]) => Promise<Map<string, string>>;
  /** Returns the content in a file. */
  contentIn: (text: string) => string;
  /**
   * Checks what a valid file that is pushed refers to.
   * @throws AppError invalid_request, not_found or forbidden, for the caller to show
   */
  checkFile: (caller: Caller, file: PushedFile) => Promise<void>;
  /** Returns the fields of the kind, and the content, that follow from a pushed file. */
  toFields: (file: ItemFile) => Promise<Partial<ItemDoc>>;
  /** Changes what else a pushed file defines, once its item is written. Idempotent. */
  follow?: (file: ItemFile, item: FollowedItem) => Promise<void>;
};

/** Returns all kinds that have been defined. */
export const itemKinds = serverMember("itemKinds", (): ItemKind[] => []);

/** Defines a kind, so that pushes and abandoned changes reach its items. */
export function defineItemKind(itemKind: ItemKind): ItemKind {
  const kinds = itemKinds();
  const index = kinds.findIndex(({ root }) => root === itemKind.root);
  // The server's bundles may hold copies of one module.
  if (index === -1) kinds.push(itemKind);
  return itemKind;
}

/** Returns the accessors without the fields of the specific kind, which folders pass through unread. */
export function itemKindOf<D extends ItemDoc>(itemCollections: {
  items: () => Collection<D>;
  folders: () => Collection<FolderDoc>;
  deleted: () => Collection<Deleted<D>>;
}): Pick<ItemKind, "items" | "folders" | "deleted"> {
  return itemCollections as unknown as Pick<ItemKind, "items" | "folders" | "deleted">;
}
