import type { Binary, ObjectId } from "mongodb";
import type { Field } from "@/lib/base/values/fields";

/** A stored result: its metadata and its first rows. All its rows are in `resultChunks`. */
export type ResultDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  fields: Field[];
  /** Of the whole result, including rows that are not stored. */
  rowCount: number;
  keptRows: number;
  bytes: number;
  chunks: number;
  /**
   * The first rows as JSON, since column names may have a meaning to a document store. Absent where the rows are read
   * as a whole.
   */
  preview?: string;
  /** Owner of the latest result; absent for a result known by its id only. */
  latest?: LatestOf;
  createdAt: Date;
  expiresAt: Date;
};

/** Kind of owner with a latest result; each belongs to its domain. */
export type OwnerKind = "console";
export type ResultOwner = { workspaceId: ObjectId; kind: OwnerKind; id: ObjectId };

export type LatestOf = {
  kind: OwnerKind;
  ownerId: ObjectId;
  userId: ObjectId;
  /** Start of its query: of two that end in another order the later one wins. */
  at: Date;
  durationMs: number;
  /** There were more rows than the query's limit. */
  truncated: boolean;
  /** Compressed size in the store. */
  storedBytes: number;
  /** Metadata for the owner's domain, as JSON. */
  facts: string;
};

/**
 * A part of the rows, as an Arrow stream or, for an owner's latest result, gzipped JSON; all parts of a result
 * concatenated form the stream.
 */
export type ResultChunkDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  resultId: ObjectId;
  index: number;
  bytes: Binary;
  expiresAt: Date;
};
