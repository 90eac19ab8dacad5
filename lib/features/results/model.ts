import type { Binary, ObjectId } from "mongodb";
import type { Field } from "@/lib/base/values/fields";

/** A result that is kept: what it is made of, and how it begins. Its rows are in `resultChunks`. */
export type ResultDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  fields: Field[];
  /** Of the whole result, whether they are kept or not. */
  rowCount: number;
  keptRows: number;
  bytes: number;
  chunks: number;
  /**
   * The first rows as JSON, since columns may have names that mean something to a document store. Absent where the rows
   * are read as a whole.
   */
  preview?: string;
  /** Whose latest result it is; absent for one that is known by its id alone. */
  latest?: LatestOf;
  createdAt: Date;
  expiresAt: Date;
};

/** What has a latest result; each kind of owner is a word of its domain. */
export type OwnerKind = "console";
export type ResultOwner = { workspaceId: ObjectId; kind: OwnerKind; id: ObjectId };

export type LatestOf = {
  kind: OwnerKind;
  ownerId: ObjectId;
  userId: ObjectId;
  /** When its query began: of two that end in another order the later one stands. */
  at: Date;
  durationMs: number;
  /** There were more rows than the query was to give. */
  truncated: boolean;
  /** What it takes in the store, compressed. */
  storedBytes: number;
  /** What the owner's domain wants to know with it, as JSON. */
  facts: string;
};

/** A part of the rows, as Arrow's stream format or, of an owner's latest, JSON in gzip; all parts of a result one behind the other are the stream. */
export type ResultChunkDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  resultId: ObjectId;
  index: number;
  bytes: Binary;
  expiresAt: Date;
};
