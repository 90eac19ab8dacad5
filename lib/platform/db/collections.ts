import "server-only";
import type { ObjectId } from "mongodb";
import { declareCollection } from "./collection";

/** The document "schema": version of all documents, and the lock of the server that migrates them. */
export type SchemaStampDoc = {
  _id: "schema";
  version: number;
  /** Version of Millrace that wrote `version`. */
  millrace: string;
  /** The lease of the server that migrates now; `until` is by the store's clock. */
  lock?: { holder: ObjectId; until: Date };
};

/** The document "keys": a sealed value for each encryption key that was the newest once, to tell whether a key is right. */
export type KeyCheckDoc = {
  _id: "keys";
  /** Id of the key that seals now. */
  newest: string;
  /** Sealed values by the id of their key. */
  checks: Record<string, string>;
};

export const collections = {
  installation: declareCollection<SchemaStampDoc | KeyCheckDoc>("installation", { isOfWorkspace: false, indexes: [] }),
};
