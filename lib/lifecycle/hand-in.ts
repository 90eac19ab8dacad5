import "server-only";
import { followConsoleDeletionBy } from "@/lib/consoles/deletion";
import { deleteRulesOf } from "@/lib/notifications/service";

/** Tells domains what they cannot know of those above them. Once a process, before its first request. */
export function handIn(): void {
  followConsoleDeletionBy((workspaceId, resourceId) =>
    deleteRulesOf({ workspaceId, resourceType: "scheduled_query", resourceId }),
  );
}
