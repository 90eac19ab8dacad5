import type { ObjectId } from "mongodb";

/** Something that would stop working without a connection, or without a file. */
export type Use = { kind: string; id: string; name: string };
export type FindUses = (workspaceId: ObjectId, connectionId: ObjectId) => Promise<Use[]>;
