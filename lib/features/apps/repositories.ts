import "server-only";
import type { ObjectId } from "mongodb";
import { type Space, WORKSPACE_SPACE } from "@/lib/features/folders/model";
import { privateRepositoryOf } from "@/lib/features/folders/repositories";

/** Returns the repository of a space's apps: the workspace's, or that of a member's private files. */
export function repositoryOf(workspaceId: ObjectId, space: Space): Promise<ObjectId> {
  return space === WORKSPACE_SPACE ? Promise.resolve(workspaceId) : privateRepositoryOf(workspaceId, space);
}
