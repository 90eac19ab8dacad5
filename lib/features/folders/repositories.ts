import "server-only";
import { ObjectId } from "mongodb";
import { deleteRepository } from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { collections } from "./collections";
import { type ItemDoc, type Space, WORKSPACE_SPACE } from "./model";

/**
 * Returns the repositories with commits of an item that the caller can see, the one of its current space first: the
 * workspace's, and for the owner also the private one.
 */
export async function repositoriesOf(caller: Caller, doc: ItemDoc): Promise<ObjectId[]> {
  const { workspaceId, user } = caller;
  if (!doc.ownerId.equals(user._id)) return [workspaceId];
  const own = await collections.privateRepositories().findOne({ workspaceId, ownerId: user._id });
  if (!own) return [workspaceId];
  return doc.space === WORKSPACE_SPACE ? [workspaceId, own._id] : [own._id, workspaceId];
}

/** Returns the repository of a member's private files; created with the first one. */
export async function privateRepositoryOf(workspaceId: ObjectId, space: Space): Promise<ObjectId> {
  const ownerId = new ObjectId(space);
  const known = await collections.privateRepositories().findOne({ workspaceId, ownerId });
  if (known) return known._id;
  const made = { _id: new ObjectId(), workspaceId, ownerId };
  try {
    await collections.privateRepositories().insertOne(made);
    return made._id;
  } catch (error) {
    // Two servers created it at once.
    if (isDuplicateKey(error)) return privateRepositoryOf(workspaceId, space);
    throw error;
  }
}

/** Removes the repositories of a workspace's private files, which have separate ids. Idempotent. */
export async function deletePrivateRepositories(workspaceId: ObjectId): Promise<void> {
  const repositories = await collections.privateRepositories().find({ workspaceId }).toArray();
  for (const { _id } of repositories) await deleteRepository(_id);
}
