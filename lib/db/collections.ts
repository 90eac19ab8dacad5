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

export const collections = {
  installation: declareCollection<SchemaStampDoc>("installation", { isOfWorkspace: false, indexes: [] }),
};
