import type { ObjectId } from "mongodb";
import type { Sealed } from "@/lib/secrets/seal";
import type { CONNECTION_STATUS, Connection } from "./schema";

export type ConnectionDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  name: string;
  type: string;
  category: "database" | "source";
  readOnly: boolean;
  /** What may be shown; the rest lies sealed in `secrets`, by the name of its field. */
  config: Record<string, unknown>;
  secrets: Record<string, Sealed>;
  status: (typeof CONNECTION_STATUS)[number];
  lastTestedAt: Date | null;
  lastError: string | null;
  createdBy: ObjectId;
  createdAt: Date;
  updatedAt: Date;
};

export function toConnection(doc: ConnectionDoc): Connection {
  const hidden = Object.keys(doc.secrets).map((name) => [name, { set: true }]);
  return {
    id: doc._id.toHexString(),
    name: doc.name,
    type: doc.type,
    category: doc.category,
    readOnly: doc.readOnly,
    config: { ...doc.config, ...Object.fromEntries(hidden) },
    status: doc.status,
    lastTestedAt: doc.lastTestedAt?.toISOString() ?? null,
    lastError: doc.lastError,
    createdBy: doc.createdBy.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}
