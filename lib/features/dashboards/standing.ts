import "server-only";
import { accessOf } from "@/lib/features/folders/model";
import type { RunResource } from "@/lib/features/runs/model";
import { withStandingOf } from "@/lib/features/runs/schedules/standing";
import type { Caller } from "@/lib/platform/access/caller";
import type { DashboardDoc } from "./model";
import type { DashboardSummary } from "./schema";

/** What has refreshes and a schedule of a dashboard: `lib/features/runs` and `lib/features/runs/schedules` know it by this name. */
export const RESOURCE_TYPE = "dashboard";

/** The dashboards with their schedules and last refreshes. */
export function withStanding<T extends DashboardSummary>(caller: Caller, dashboards: readonly T[]): Promise<T[]> {
  return withStandingOf(caller, RESOURCE_TYPE, dashboards);
}

/** The same for one. */
export async function withOwnStanding<T extends DashboardSummary>(caller: Caller, dashboard: T): Promise<T> {
  const [one = dashboard] = await withStanding(caller, [dashboard]);
  return one;
}

export function runResourceOf({ _id, workspaceId }: Pick<DashboardDoc, "_id" | "workspaceId">): RunResource {
  return { workspaceId, resourceType: RESOURCE_TYPE, resourceId: _id };
}

/** How a refresh of a private dashboard stands is its owner's to know. */
export function onlyForOwner({ space, ownerId }: Pick<DashboardDoc, "space" | "ownerId">) {
  return accessOf(space) === "private" ? { onlyFor: ownerId } : {};
}
