import "server-only";
import type { ObjectId } from "mongodb";
import { ancestryOf } from "./ancestry";
import { findPositions } from "./positions";
import { findHead, TRUNK } from "./refs";

/** Whether a commit is part of the trunk's history or of a branch's. Costs as much as the branch has of its own. */
export async function isReachable(repositoryId: ObjectId, sha: string, branch: string): Promise<boolean> {
  const head = await findHead(repositoryId, branch);
  // Reading the ancestry also puts what the trunk has by now into the index.
  const own = head === null ? null : await ancestryOf(repositoryId, head);
  if (own?.head === sha || own?.side.has(sha)) return true;
  const trunkHead = await findHead(repositoryId, TRUNK);
  if (trunkHead === null) return false;
  await ancestryOf(repositoryId, trunkHead);
  return (await findPositions(repositoryId, [sha])).has(sha);
}
