import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";

/** A use that would stop working without a connection, or without a file. */
export type Use = { kind: string; id: string; name: string };
export type FindUses = (caller: Caller, connectionId: ObjectId) => Promise<Use[]>;
