import "server-only";
import { publish } from "@/lib/platform/events/publish";
import type { DashboardDoc } from "./model";
import { onlyForOwner } from "./run-status";

/**
 * Publishes a change of something that belongs to a dashboard, such as its schedule: for a private dashboard to its
 * owner only.
 */
export function publishDashboardEvent(doc: Pick<DashboardDoc, "_id" | "workspaceId" | "space" | "ownerId">): void {
  const { _id, workspaceId } = doc;
  publish({ workspaceId, kind: "dashboard", resourceType: "dashboard", resourceId: _id, ...onlyForOwner(doc) });
}
