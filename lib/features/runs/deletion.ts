import "server-only";
import { sharedState } from "@/lib/platform/process/shared-state";
import type { RunResource } from "./model";

/** What stands on something with runs and goes with it. It may be called several times for one, and must bear that. */
export type FollowDeletion = (resource: RunResource) => Promise<void>;

/** Says what follows a deletion: the start gives it, since those who stand on what has runs are above it. */
export function followDeletionBy(follow: FollowDeletion): void {
  holder().follow = follow;
}

/** Call it when something with runs is gone. */
export const followDeletion: FollowDeletion = async (resource) => {
  await holder().follow?.(resource);
};

function holder(): { follow: FollowDeletion | null } {
  return sharedState("runs.deletion", () => ({ follow: null }));
}
