import type { ObjectId } from "mongodb";
import type { Change } from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import type { Access, Folder } from "./schema";

/** Visibility of an item: every member, or (a user's id) its owner only. Names are unique within a space. */
export type Space = "workspace" | (string & {});
export const WORKSPACE_SPACE: Space = "workspace";

/** Location of an item. `path`, `file` and `key` follow from its folder, its name and its file extension. */
export type Place = {
  /** Folders and name, without the extension. */
  path: string;
  /** Path in git. */
  file: string;
  /** Two items with the same key cannot coexist on some file systems. */
  key: string;
};

/** Fields that all kinds of items share; each kind adds its own. */
export type ItemDoc = Place & {
  _id: ObjectId;
  workspaceId: ObjectId;
  space: Space;
  ownerId: ObjectId;
  folderId: ObjectId | null;
  name: string;
  /** Text of its file. */
  content: string;
  /** Incremented with every save. */
  version: number;
  /** Number of the workspace's change that last wrote it; older changes must not overwrite it. */
  seq: number;
  createdAt: Date;
  updatedAt: Date;
};

/** An item as it was when it was deleted; kept for the undo. */
export type Deleted<D extends ItemDoc> = D & { deletedAt: Date; deletedBy: ObjectId };

export type FolderDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  space: Space;
  ownerId: ObjectId;
  parentId: ObjectId | null;
  name: string;
  path: string;
  key: string;
  seq: number;
  createdAt: Date;
  updatedAt: Date;
};

/** The repository (by its `_id`) of one member's private files in one workspace. */
export type PrivateRepositoryDoc = { _id: ObjectId; workspaceId: ObjectId; ownerId: ObjectId };

/** One repository's part of a change. */
export type CommitPart = {
  repositoryId: ObjectId;
  changes: Change[];
  /** The head that the commit builds on, decided once; null for a repository without a commit. */
  base?: string | null;
};

/** One document's part of a change. */
export type Write =
  | { kind: "insert"; doc: ItemDoc }
  | { kind: "update"; id: ObjectId; set: Partial<ItemDoc> }
  | { kind: "discard"; id: ObjectId }
  | { kind: "insertFolder"; doc: FolderDoc }
  | { kind: "updateFolder"; id: ObjectId; set: Partial<FolderDoc> }
  | { kind: "removeFolder"; id: ObjectId };

/** The complete content of a change. Written before any of it is applied, so that another server can continue it. */
export type Intent = {
  userId: ObjectId;
  author: { name: string; email: string };
  message: string;
  at: Date;
  writes: Write[];
  parts: CommitPart[];
};

/**
 * Serialises a workspace's changes of one kind of item: the number of the last change, and its intent while it is open.
 */
export type JournalDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  seq: number;
  isOpen: boolean;
  intent?: Intent;
};

export function spaceOf(access: Access, userId: ObjectId): Space {
  return access === "workspace" ? WORKSPACE_SPACE : userId.toHexString();
}

export function accessOf(space: Space): Access {
  return space === WORKSPACE_SPACE ? "workspace" : "private";
}

/** Returns the filter of items that a member can see, for every look-up. */
export function visibleTo({ workspaceId, user }: Caller): { workspaceId: ObjectId; space: { $in: Space[] } } {
  return { workspaceId, space: { $in: [WORKSPACE_SPACE, user._id.toHexString()] } };
}

export function toFolder(doc: FolderDoc): Folder {
  return {
    id: doc._id.toHexString(),
    name: doc.name,
    path: doc.path,
    parentId: doc.parentId?.toHexString() ?? null,
    access: accessOf(doc.space),
    ownerId: doc.ownerId.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}
