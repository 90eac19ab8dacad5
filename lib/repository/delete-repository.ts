import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "./collections";

/** Removes all of a workspace's repository. Safe to repeat; branches go first, so that nothing points into a gap. */
export async function deleteRepository(workspaceId: ObjectId): Promise<void> {
  await collections.gitRefs().deleteMany({ workspaceId });
  await collections.gitCommits().deleteMany({ workspaceId });
  await collections.gitHistory().deleteMany({ workspaceId });
  await collections.gitObjects().deleteMany({ workspaceId });
  await collections.gitChunks().deleteMany({ workspaceId });
}
