import type { Binary, ObjectId } from "mongodb";
import type { Field } from "@/lib/tabular/fields";

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
  /** The first rows as JSON, since columns may have names that mean something to a document store. */
  preview: string;
  createdAt: Date;
  expiresAt: Date;
};

/** A part of the rows, as Arrow's stream format; all parts of a result one behind the other are the stream. */
export type ResultChunkDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  resultId: ObjectId;
  index: number;
  bytes: Binary;
  expiresAt: Date;
};
