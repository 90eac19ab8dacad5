import type { Binary, Document, ObjectId } from "mongodb";

/*
 * A repository has its own id. It is stored in `workspaceId`, the field by which all data of a workspace is found and
 * deleted. The shared repository has its workspace's id, the members' private ones have others.
 */

/** Git's four object types. */
export type ObjectType = "blob" | "tree" | "commit" | "tag";

/** One git object. `data` is the content's zlib stream, as in a pack; null if the stream is stored in chunks. */
export type GitObjectDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  /** 40 lower-case hex digits. */
  oid: string;
  type: ObjectType;
  /** Unpacked size of the content, in bytes. */
  size: number;
  data: Binary | null;
  /** Number of `GitChunkDoc` documents that hold the stream; 0 if `data` holds it. */
  chunks: number;
};

/** A part of an object's zlib stream that is too long for one document. */
export type GitChunkDoc = { _id: ObjectId; workspaceId: ObjectId; oid: string; n: number; data: Binary };

/**
 * A branch. `oid` only moves by compare-and-set; null for a main without a commit. `seq` and `open` are on the main
 * branch of a workspace's repository: the number of the last change of its documents, and that change while the
 * documents may not show it yet (`lib/features/folders`).
 */
export type GitRefDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  ref: string;
  oid: string | null;
  updatedAt: Date;
  seq?: number;
  open?: OpenChange;
  /** The user who created the branch. Only on review branches. */
  createdBy?: ObjectId;
  /** The pull request of a linked repository that a review branch follows. */
  pullRequest?: PullRequestRef;
};

/** A pull request by its number, with its address at the host. */
export type PullRequestRef = { number: number; url: string };

/** A change with the time at which it was decided. The domain above defines its content. */
export type OpenChange = Document & { at: Date };

/** Main as a change sees it. */
export type Main = { oid: string | null; seq: number; open: OpenChange | null };

/** The author of a commit, as git stores it. */
export type AuthorDoc = { name: string; email: string };

/**
 * One commit that has landed on main. It is written after the history entries of its commit and of all ancestors,
 * so its presence means that all of these are indexed. A cache: git alone can rebuild it.
 */
export type GitCommitDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  oid: string;
  /** Position in the order of landing, from 1. For a tip, also the number of commits reachable from it. */
  seq: number;
  /** Whether it has been main's head: it is on the chain of first parents. */
  isTip: boolean;
};

export type FileStatus = "added" | "modified" | "deleted" | "renamed";

/**
 * The change of one landed commit to one file, or the fact that it changed a folder. A cache: git alone can rebuild it.
 */
export type GitHistoryDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  /**
   * The file's key across renames: the caller's id, or one derived from the commit that added it. `/path/` for a
   * folder.
   */
  lineage: string;
  seq: number;
  oid: string;
  path: string;
  previousPath: string | null;
  status: FileStatus;
  /** Blob before and after; null if there was, or is, no file. */
  before: string | null;
  after: string | null;
  author: AuthorDoc;
  date: Date;
  subject: string;
  /** From the commit's header; absent without one. */
  change?: number;
};
