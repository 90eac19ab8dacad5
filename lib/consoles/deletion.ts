import "server-only";
import type { ObjectId } from "mongodb";
import { sharedState } from "@/lib/process/shared-state";

/** What stands on a console and goes with it. It may be called several times for one, and must bear that. */
export type FollowConsoleDeletion = (workspaceId: ObjectId, consoleId: ObjectId) => Promise<void>;

/** Says what follows the deletion of a console: the start gives it, since those who stand on consoles are above them. */
export function followConsoleDeletionBy(follow: FollowConsoleDeletion): void {
  holder().follow = follow;
}

export const followConsoleDeletion: FollowConsoleDeletion = async (workspaceId, consoleId) => {
  await holder().follow?.(workspaceId, consoleId);
};

function holder(): { follow: FollowConsoleDeletion | null } {
  return sharedState("consoles.deletion", () => ({ follow: null }));
}
