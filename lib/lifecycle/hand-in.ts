import "server-only";
import { deleteRulesOf } from "@/lib/notifications/service";
import { followDeletionBy } from "@/lib/runs/deletion";

/** Tells domains what they cannot know of those above them. Once a process, before its first request. */
export function handIn(): void {
  followDeletionBy(deleteRulesOf);
}
