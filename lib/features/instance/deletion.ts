import "server-only";
import type { ObjectId } from "mongodb";
import { deleteWorkspaceFolder } from "@/lib/features/connections/files/folders";
import { deletePrivateRepositories } from "@/lib/features/folders/repositories";
import type { Caller } from "@/lib/platform/access/caller";
import { database } from "@/lib/platform/db/client";
import { inTransaction } from "@/lib/platform/db/transaction";
import { log } from "@/lib/platform/log";
import { collections, declarations } from "./collections";

/** Collections whose documents have a workspaceId: they are deleted with the workspace. */
const WORKSPACE_COLLECTIONS = declarations.filter((each) => each.isOfWorkspace);
/** Data of a workspace outside of its documents; each domain with such data adds an entry. */
const ELSEWHERE: ((workspaceId: ObjectId) => Promise<void>)[] = [deleteWorkspaceFolder, deletePrivateRepositories];

/**
 * Deletes a workspace and everything that belongs to it. After the first step it cannot be entered; data left by a
 * crash is deleted at the next start.
 */
export async function deleteWorkspace({ workspaceId }: Caller, now = new Date()): Promise<void> {
  await inTransaction(async (session) => {
    await collections.workspaces().updateOne({ _id: workspaceId }, { $set: { deletedAt: now } }, { session });
    await collections.memberships().deleteMany({ workspaceId }, { session });
    await collections.apiKeys().deleteMany({ workspaceId }, { session });
    // Accepting an invitation at this moment meets a conflict, and then an expired link.
    await collections.invites().deleteMany({ workspaceId }, { session });
  });
  await purge(workspaceId);
}

/** Resumes deletions that a crash interrupted. */
export async function finishDeletions(): Promise<void> {
  const unfinished = await collections
    .workspaces()
    .find({ deletedAt: { $exists: true } })
    .toArray();
  for (const { _id } of unfinished) await purge(_id);
}

async function purge(workspaceId: ObjectId): Promise<void> {
  for (const remove of ELSEWHERE) await remove(workspaceId);
  for (const { collectionName } of WORKSPACE_COLLECTIONS) {
    await database().collection(collectionName).deleteMany({ workspaceId });
  }
  // The workspace document is deleted last: while it exists, the next start resumes the deletion.
  await collections.workspaces().deleteOne({ _id: workspaceId });
  log.info({ workspaceId: workspaceId.toHexString() }, "a workspace and its data were deleted");
}
