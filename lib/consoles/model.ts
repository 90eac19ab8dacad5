import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import type { Change } from "@/lib/repository/service";
import type { Console, ConsoleAccess, ConsoleDraft, ConsoleFolder, ConsoleSummary, Language } from "./schema";

/** Where something is seen: by every member, or (a user's id) by its owner alone. Names are unique within one. */
export type Space = "workspace" | (string & {});
export const WORKSPACE_SPACE: Space = "workspace";

/** Where a console stands. `path`, `file` and `key` follow from its folder, its name and its language. */
export type ConsolePath = {
  /** Folders and name, without the ending. */
  path: string;
  /** Its path in git. */
  file: string;
  /** Two places of one key cannot stand side by side on some computer. */
  key: string;
};

export type ConsoleDoc = ConsolePath & {
  _id: ObjectId;
  workspaceId: ObjectId;
  space: Space;
  ownerId: ObjectId;
  folderId: ObjectId | null;
  connectionId: ObjectId | null;
  name: string;
  language: Language;
  content: string;
  /** JSON, since a specification's own names ("$schema", "a.b") mean something to a document store; null for none. */
  chart: string | null;
  /** One more with every save. */
  version: number;
  /** The workspace's change that wrote it last; later ones only go on top. */
  seq: number;
  createdAt: Date;
  updatedAt: Date;
};

/** A console as it was when somebody deleted it; kept for the undo. */
export type DeletedConsoleDoc = ConsoleDoc & { deletedAt: Date; deletedBy: ObjectId };

export type ConsoleFolderDoc = {
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

export type ConsoleDraftDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  consoleId: ObjectId;
  userId: ObjectId;
  content: string;
  version: number;
  updatedAt: Date;
};

/** The repository (under its `_id`) that holds one member's private consoles of one workspace. */
export type PrivateRepositoryDoc = { _id: ObjectId; workspaceId: ObjectId; ownerId: ObjectId };

/** One repository's part of a change. */
export type CommitPart = {
  repositoryId: ObjectId;
  changes: Change[];
  /** The head that whoever commits it builds on, decided once; null is a repository without a commit. */
  base?: string | null;
};

/** One document's part of a change. */
export type ConsoleWrite =
  | { kind: "insert"; doc: ConsoleDoc }
  | { kind: "update"; id: ObjectId; set: Partial<ConsoleDoc> }
  | { kind: "discard"; id: ObjectId }
  | { kind: "insertFolder"; doc: ConsoleFolderDoc }
  | { kind: "updateFolder"; id: ObjectId; set: Partial<ConsoleFolderDoc> }
  | { kind: "removeFolder"; id: ObjectId };

/** All that one change does. Written whole before any of it is done, so that another server can go on with it. */
export type ConsoleIntent = {
  userId: ObjectId;
  author: { name: string; email: string };
  message: string;
  at: Date;
  writes: ConsoleWrite[];
  parts: CommitPart[];
};

/** A workspace's changes of consoles, one after another: the number of the last one, and what it intends while open. */
export type ConsoleJournalDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  seq: number;
  isOpen: boolean;
  intent?: ConsoleIntent;
};

export function spaceOf(access: ConsoleAccess, userId: ObjectId): Space {
  return access === "workspace" ? WORKSPACE_SPACE : userId.toHexString();
}

export function accessOf(space: Space): ConsoleAccess {
  return space === WORKSPACE_SPACE ? "workspace" : "private";
}

/** What a member may see of a workspace's consoles and folders: the filter of every look-up. */
export function visibleTo({ workspaceId, user }: Caller): { workspaceId: ObjectId; space: { $in: Space[] } } {
  return { workspaceId, space: { $in: [WORKSPACE_SPACE, user._id.toHexString()] } };
}

export function toConsole(doc: ConsoleDoc): Console {
  return { ...toConsoleSummary(doc), content: doc.content, chart: doc.chart ? JSON.parse(doc.chart) : null };
}

export function toConsoleSummary(doc: Omit<ConsoleDoc, "content" | "chart">): ConsoleSummary {
  return {
    id: doc._id.toHexString(),
    path: doc.path,
    name: doc.name,
    folderId: doc.folderId?.toHexString() ?? null,
    connectionId: doc.connectionId?.toHexString() ?? null,
    language: doc.language,
    access: accessOf(doc.space),
    ownerId: doc.ownerId.toHexString(),
    version: doc.version,
    schedule: null,
    lastRun: null,
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}

export function toFolder(doc: ConsoleFolderDoc): ConsoleFolder {
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

export function toDraft(doc: ConsoleDraftDoc): ConsoleDraft {
  return {
    consoleId: doc.consoleId.toHexString(),
    content: doc.content,
    version: doc.version,
    updatedAt: doc.updatedAt.toISOString(),
  };
}
