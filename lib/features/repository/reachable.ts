import "server-only";
import type { ObjectId } from "mongodb";
import { ancestryOf } from "./ancestry";
import { findPositions } from "./positions";
import { findHead, MAIN_BRANCH } from "./refs";

/** Whether a commit is in the history of main or of a branch. The cost grows with the branch's own commits. */
export async function isReachable(repositoryId: ObjectId, sha: string, branch: string): Promise<boolean> {
  const head = await findHead(repositoryId, branch);
  // The ancestry also updates main's index up to its head.
  const own = head === null ? null : await ancestryOf(repositoryId, head);
  if (own?.head === sha || own?.side.has(sha)) return true;
  const mainHead = await findHead(repositoryId, MAIN_BRANCH);
  if (mainHead === null) return false;
  await ancestryOf(repositoryId, mainHead);
  return (await findPositions(repositoryId, [sha])).has(sha);
}
