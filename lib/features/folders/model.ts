import type { ObjectId } from "mongodb";
import type { Change } from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import type { Access, Folder } from "./schema";

/** Where something is seen: by every member, or (a user's id) by its owner alone. Names are unique within one. */
export type Space = "workspace" | (string & {});
export const WORKSPACE_SPACE: Space = "workspace";

/** Where something stands. `path`, `file` and `key` follow from its folder, its name and the ending of its file. */
export type Place = {
  /** Folders and name, without the ending. */
  path: string;
  /** Its path in git. */
  file: string;
  /** Two places of one key cannot stand side by side on some computer. */
  key: string;
};

/** What every kind of thing that is filed has; each kind adds its own fields. */
export type FiledDoc = Place & {
  _id: ObjectId;
  workspaceId: ObjectId;
  space: Space;
  ownerId: ObjectId;
  folderId: ObjectId | null;
  name: string;
  /** The text of its file. */
  content: string;
  /** One more with every save. */
  version: number;
  /** The workspace's change that wrote it last; later ones only go on top. */
  seq: number;
  createdAt: Date;
  updatedAt: Date;
};

/** Something as it was when somebody deleted it; kept for the undo. */
export type Deleted<D extends FiledDoc> = D & { deletedAt: Date; deletedBy: ObjectId };

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

/** The repository (under its `_id`) that holds one member's private files of one workspace. */
export type PrivateRepositoryDoc = { _id: ObjectId; workspaceId: ObjectId; ownerId: ObjectId };

/** One repository's part of a change. */
export type CommitPart = {
  repositoryId: ObjectId;
  changes: Change[];
  /** The head that whoever commits it builds on, decided once; null is a repository without a commit. */
  base?: string | null;
};

/** One document's part of a change. */
export type Write =
  | { kind: "insert"; doc: FiledDoc }
  | { kind: "update"; id: ObjectId; set: Partial<FiledDoc> }
  | { kind: "discard"; id: ObjectId }
  | { kind: "insertFolder"; doc: FolderDoc }
  | { kind: "updateFolder"; id: ObjectId; set: Partial<FolderDoc> }
  | { kind: "removeFolder"; id: ObjectId };

/** All that one change does. Written whole before any of it is done, so that another server can go on with it. */
export type Intent = {
  userId: ObjectId;
  author: { name: string; email: string };
  message: string;
  at: Date;
  writes: Write[];
  parts: CommitPart[];
};

/**
 * A workspace's changes of one kind of thing, one after another: the number of the last one, and what it intends while
 * open.
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

/** What a member may see of what a workspace has filed: the filter of every look-up. */
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
