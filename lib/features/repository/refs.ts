import "server-only";
import { ObjectId } from "mongodb";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { collections } from "./collections";

/** The main branch. It cannot be deleted and never moves back. */
export const MAIN_BRANCH = "main";

/** Returns the head commit of a branch; null if the branch does not exist. */
export async function findHead(repositoryId: ObjectId, branch: string): Promise<string | null> {
  const doc = await collections.gitRefs().findOne({ workspaceId: repositoryId, ref: toRef(branch) });
  return doc?.oid ?? null;
}

/**
 * Moves a branch by compare-and-set, so that exactly one of several concurrent writers wins.
 * @param expected the branch's current head; null if it must not exist yet
 * @returns false if the head differs: nothing was changed
 */
export async function moveHead(
  repositoryId: ObjectId,
  branch: string,
  expected: string | null,
  oid: string,
): Promise<boolean> {
  const ref = toRef(branch);
  if (expected === null) return createHead(repositoryId, ref, oid);
  const { matchedCount } = await collections
    .gitRefs()
    .updateOne({ workspaceId: repositoryId, ref, oid: expected }, { $set: { oid, updatedAt: new Date() } });
  return matchedCount === 1;
}

/** @returns false if the branch has moved, or does not exist */
export async function removeHead(repositoryId: ObjectId, branch: string, expected: string): Promise<boolean> {
  const { deletedCount } = await collections
    .gitRefs()
    .deleteOne({ workspaceId: repositoryId, ref: toRef(branch), oid: expected });
  return deletedCount === 1;
}

/** Lists all branches by name. */
export async function listHeads(repositoryId: ObjectId): Promise<{ name: string; oid: string; updatedAt: Date }[]> {
  const docs = await collections.gitRefs().find({ workspaceId: repositoryId }).sort({ ref: 1 }).toArray();
  return docs.map(({ ref, oid, updatedAt }) => ({ name: toBranch(ref), oid, updatedAt }));
}

export function toRef(branch: string): string {
  return `refs/heads/${branch}`;
}

function toBranch(ref: string): string {
  return ref.slice("refs/heads/".length);
}

async function createHead(repositoryId: ObjectId, ref: string, oid: string): Promise<boolean> {
  try {
    await collections
      .gitRefs()
      .insertOne({ _id: new ObjectId(), workspaceId: repositoryId, ref, oid, updatedAt: new Date() });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
