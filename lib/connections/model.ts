import type { ObjectId } from "mongodb";
import type { CONNECTION_STATUS, Connection } from "./schema";

export type ConnectionDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  name: string;
  type: string;
  category: "database" | "source";
  readOnly: boolean;
  config: Record<string, unknown>;
  status: (typeof CONNECTION_STATUS)[number];
  lastTestedAt: Date | null;
  lastError: string | null;
  createdBy: ObjectId;
  createdAt: Date;
  updatedAt: Date;
};

/** @param secrets names of the config's fields that never leave the server */
export function toConnection(doc: ConnectionDoc, secrets: ReadonlySet<string>): Connection {
  const config = Object.fromEntries(
    Object.entries(doc.config).map(([name, value]) => [name, secrets.has(name) ? { set: true } : value]),
  );
  return {
    id: doc._id.toHexString(),
    name: doc.name,
    type: doc.type,
    category: doc.category,
    readOnly: doc.readOnly,
    config,
    status: doc.status,
    lastTestedAt: doc.lastTestedAt?.toISOString() ?? null,
    lastError: doc.lastError,
    createdBy: doc.createdBy.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}
