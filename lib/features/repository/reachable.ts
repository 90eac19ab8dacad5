import "server-only";
import type { ObjectId } from "mongodb";
import { ancestryOf } from "./ancestry";
import { findPositions } from "./positions";
import { findHead, TRUNK } from "./refs";

/** Whether a commit is in the history of the trunk or of a branch. The cost grows with the branch's own commits. */
export async function isReachable(repositoryId: ObjectId, sha: string, branch: string): Promise<boolean> {
  const head = await findHead(repositoryId, branch);
  // The ancestry also updates the trunk's index up to its head.
  const own = head === null ? null : await ancestryOf(repositoryId, head);
  if (own?.head === sha || own?.side.has(sha)) return true;
  const trunkHead = await findHead(repositoryId, TRUNK);
  if (trunkHead === null) return false;
  await ancestryOf(repositoryId, trunkHead);
  return (await findPositions(repositoryId, [sha])).has(sha);
}
