import type { Binary, ObjectId } from "mongodb";

/*
 * A repository has an id of its own. In the store it stands in `workspaceId`, by which all that a workspace has is found
 * and goes with it: the shared one has its workspace's id, the private ones of its members have others.
 */

/** The four kinds of object that git knows. */
export type ObjectType = "blob" | "tree" | "commit" | "tag";

/** One git object. `data` is the content's zlib stream, as a pack holds it; null when the stream lies in chunks. */
export type GitObjectDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  /** 40 lower-case hex digits. */
  oid: string;
  type: ObjectType;
  /** Bytes of the content, unpacked. */
  size: number;
  data: Binary | null;
  /** How many documents of `GitChunkDoc` hold the stream; 0 when `data` does. */
  chunks: number;
};

/** A part of an object's zlib stream that is too long for one document. */
export type GitChunkDoc = { _id: ObjectId; workspaceId: ObjectId; oid: string; n: number; data: Binary };

/** A branch. `oid` only moves by compare-and-set. */
export type GitRefDoc = { _id: ObjectId; workspaceId: ObjectId; ref: string; oid: string; updatedAt: Date };

/** Who wrote a commit, and when, as git keeps it. */
export type AuthorDoc = { name: string; email: string };

/**
 * One commit that has landed on the trunk. The document is written after the history entries of its commit and after
 * those of its ancestors, so that its presence says: all of this is indexed. A cache; git alone can rebuild it.
 */
export type GitCommitDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  oid: string;
  /** Place in the order of landing, from 1. For a tip it is also the number of commits reachable from it. */
  seq: number;
  /** Has been the trunk's head: it is on the chain of first parents. */
  isTip: boolean;
};

export type FileStatus = "added" | "modified" | "deleted" | "renamed";

/** What one landed commit did to one file, or that it changed something in a folder. A cache; git alone can rebuild it. */
export type GitHistoryDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  /** What stays with a file through renames: the caller's id, or one made of the commit that added it. `/path/` of a folder. */
  lineage: string;
  seq: number;
  oid: string;
  path: string;
  previousPath: string | null;
  status: FileStatus;
  /** Blob before and after; null when there was, or is, no file. */
  before: string | null;
  after: string | null;
  author: AuthorDoc;
  date: Date;
  subject: string;
  /** Of the commit's header; absent without one. */
  change?: number;
};
