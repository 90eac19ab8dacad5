import "server-only";
import { ObjectId } from "mongodb";
import { deleteRepository } from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { collections } from "./collections";
import { type FiledDoc, type Space, WORKSPACE_SPACE } from "./model";

/**
 * The repositories with commits of something that the caller may see, that of its present space first: the
 * workspace's, and for the owner also the one of their private files.
 */
export async function repositoriesOf(caller: Caller, doc: FiledDoc): Promise<ObjectId[]> {
  const { workspaceId, user } = caller;
  if (!doc.ownerId.equals(user._id)) return [workspaceId];
  const own = await collections.privateRepositories().findOne({ workspaceId, ownerId: user._id });
  if (!own) return [workspaceId];
  return doc.space === WORKSPACE_SPACE ? [workspaceId, own._id] : [own._id, workspaceId];
}

/** The repository of a member's private files, which their first one makes. */
export async function privateRepositoryOf(workspaceId: ObjectId, space: Space): Promise<ObjectId> {
  const ownerId = new ObjectId(space);
  const known = await collections.privateRepositories().findOne({ workspaceId, ownerId });
  if (known) return known._id;
  const made = { _id: new ObjectId(), workspaceId, ownerId };
  try {
    await collections.privateRepositories().insertOne(made);
    return made._id;
  } catch (error) {
    // Two first ones at once, on two servers.
    if (isDuplicateKey(error)) return privateRepositoryOf(workspaceId, space);
    throw error;
  }
}

/** Removes the repositories of a workspace's private files, which carry ids of their own. Safe to repeat. */
export async function deletePrivateRepositories(workspaceId: ObjectId): Promise<void> {
  const repositories = await collections.privateRepositories().find({ workspaceId }).toArray();
  for (const { _id } of repositories) await deleteRepository(_id);
}
