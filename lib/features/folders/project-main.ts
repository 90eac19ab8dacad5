import "server-only";
import type { ObjectId } from "mongodb";
import { makeChange, settle, withChangesOf } from "./change-items";
import { itemKinds } from "./item-kind";
import { WORKSPACE_SPACE } from "./model";

/**
 * Makes the shared items of a workspace equal to the files of main, for a store whose documents were lost or damaged.
 * Items without a file are not changed. Schedules keep their state and owner; those that were lost are paused.
 * @param userId owner of items that are missing
 * @returns the number of shared items by kind
 */
export function projectMain(workspaceId: ObjectId, userId: ObjectId): Promise<Record<string, number>> {
  return withChangesOf(workspaceId, async () => {
    for (;;) {
      const main = await settle(workspaceId);
      if (main.oid === null) break;
      const pushed = { before: null, after: main.oid };
      const change = { userId, at: new Date(), pushed, isRestored: true };
      if (await makeChange(workspaceId, main, main.oid, change)) break;
    }
    const counts: Record<string, number> = {};
    for (const { root, items } of itemKinds()) {
      counts[root] = await items().countDocuments({ workspaceId, space: WORKSPACE_SPACE });
    }
    return counts;
  });
}
