import { ObjectId } from "mongodb";
import type { ConnectionDoc } from "@/lib/features/connections/model";

/** Returns a connection as the store holds it; its settings are in plain text. */
export function storedConnection(
  workspaceId: ObjectId,
  { type, config, readOnly = false }: { type: string; config: Record<string, unknown>; readOnly?: boolean },
): ConnectionDoc {
  const now = new Date();
  return {
    _id: new ObjectId(),
    workspaceId,
    name: type,
    type,
    category: "database",
    readOnly,
    config,
    secrets: {},
    status: "ok",
    lastTestedAt: null,
    lastError: null,
    createdBy: new ObjectId(),
    createdAt: now,
    updatedAt: now,
  };
}
