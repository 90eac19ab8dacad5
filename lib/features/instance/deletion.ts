import "server-only";
import type { ObjectId } from "mongodb";
import { deleteWorkspaceFolder } from "@/lib/features/connections/files/folders";
import { deletePrivateRepositories } from "@/lib/features/folders/repositories";
import type { Caller } from "@/lib/platform/access/caller";
import { database } from "@/lib/platform/db/client";
import { inTransaction } from "@/lib/platform/db/transaction";
import { log } from "@/lib/platform/log";
import { collections, declarations } from "./collections";

/** Those whose documents carry a workspaceId: they go when the workspace goes. */
const WORKSPACE_COLLECTIONS = declarations.filter((each) => each.isOfWorkspace);
/** What a workspace leaves elsewhere than in its own documents; each domain that keeps something there adds a line. */
const ELSEWHERE: ((workspaceId: ObjectId) => Promise<void>)[] = [deleteWorkspaceFolder, deletePrivateRepositories];

/**
 * Ends a workspace and removes all that belongs to it. Nobody can enter it any more when this returns its first
 * step; what a crash leaves behind is removed at the next start.
 */
export async function deleteWorkspace({ workspaceId }: Caller, now = new Date()): Promise<void> {
  await inTransaction(async (session) => {
    await collections.workspaces().updateOne({ _id: workspaceId }, { $set: { deletedAt: now } }, { session });
    await collections.memberships().deleteMany({ workspaceId }, { session });
    await collections.apiKeys().deleteMany({ workspaceId }, { session });
    // Who accepts one at this moment meets a conflict, and then a link that has ended.
    await collections.invites().deleteMany({ workspaceId }, { session });
  });
  await purge(workspaceId);
}

/** Goes on with deletions that a crash broke off. */
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
  // The last trace goes last: while it stands, the next start knows that there is work left.
  await collections.workspaces().deleteOne({ _id: workspaceId });
  log.info({ workspaceId: workspaceId.toHexString() }, "a workspace and all that belonged to it is gone");
}
