import type { ObjectId } from "mongodb";
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
  /** Keys of its path in searches by name (`searchKeysOf`), written with every change of the path. */
  searchKeys?: string[];
  /** Keys of its searched texts (`textKeysOf`), written with every change of one; absent for kinds without. */
  textKeys?: string[];
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

/** A commit of a private repository that belongs to a change: its main moves from `base` to `oid`. */
export type PrivateCommit = { repositoryId: ObjectId; base: string | null; oid: string };

/** One document's part of a change. */
export type Write =
  | { kind: "insert"; doc: ItemDoc }
  | { kind: "update"; id: ObjectId; set: Partial<ItemDoc>; swaps?: boolean }
  | { kind: "discard"; id: ObjectId }
  | { kind: "insertFolder"; doc: FolderDoc }
  | { kind: "updateFolder"; id: ObjectId; set: Partial<FolderDoc> }
  | { kind: "removeFolder"; id: ObjectId };

/**
 * A change of a workspace's items, as its main branch holds it until the documents show it. Any server can complete it.
 */
export type ItemChange = {
  userId: ObjectId;
  at: Date;
  /** The kind that `writes` are about. */
  root?: ItemRoot;
  writes?: Write[];
  commits?: PrivateCommit[];
  /** A push: the writes follow from the files that differ between these heads of main. */
  pushed?: { before: string | null; after: string };
  /** Described in the events of the change; absent for other changes. */
  push?: Push;
  /** The files come from a repository host: schedules that they change stay paused until a member enables them. */
  isFromHost?: boolean;
  /** Main has not changed: lost or damaged items are restored from it. */
  isRestored?: boolean;
};

/** A push to main: its short commit id, the name of the user, and the number of changed files. */
export type Push = { sha: string; name: string; files: number };

export type ItemNoun = "console" | "dashboard" | "metric";
/** Top-level folder of a kind in the repository. */
export type ItemRoot = `${ItemNoun}s`;

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
