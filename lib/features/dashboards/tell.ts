import "server-only";
import { publish } from "@/lib/platform/events/publish";
import type { DashboardDoc } from "./model";
import { onlyForOwner } from "./standing";

/** Tells those who look on that what belongs to a dashboard has changed, as its schedule: of a private one its owner alone. */
export function tellDashboard(doc: Pick<DashboardDoc, "_id" | "workspaceId" | "space" | "ownerId">): void {
  const { _id, workspaceId } = doc;
  publish({ workspaceId, kind: "dashboard", resourceType: "dashboard", resourceId: _id, ...onlyForOwner(doc) });
}
