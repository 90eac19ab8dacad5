import "server-only";
import type { ObjectId } from "mongodb";
import { declareCollection } from "./collection";

/** The document "schema": version of all documents, and the lock of the migrating server. */
export type SchemaStampDoc = {
  _id: "schema";
  version: number;
  /** Version of Millrace that wrote `version`. */
  millrace: string;
  /** Lease of the migrating server; `until` is by the store's clock. */
  lock?: { holder: ObjectId; until: Date };
};

/** The document "keys": an encrypted value for each key that was once the newest, which verifies the key. */
export type KeyCheckDoc = {
  _id: "keys";
  /** Id of the key that encrypts now. */
  newest: string;
  /** Encrypted values by key id. */
  checks: Record<string, string>;
};

export const collections = {
  installation: declareCollection<SchemaStampDoc | KeyCheckDoc>("installation", { isOfWorkspace: false, indexes: [] }),
};
