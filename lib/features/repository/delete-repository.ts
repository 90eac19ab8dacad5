import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "./collections";

/** Deletes a whole repository. Safe to repeat; branches go first, so that none has missing objects. */
export async function deleteRepository(repositoryId: ObjectId): Promise<void> {
  await collections.gitRefs().deleteMany({ workspaceId: repositoryId });
  await collections.gitCommits().deleteMany({ workspaceId: repositoryId });
  await collections.gitHistory().deleteMany({ workspaceId: repositoryId });
  await collections.gitObjects().deleteMany({ workspaceId: repositoryId });
  await collections.gitChunks().deleteMany({ workspaceId: repositoryId });
}
