import "server-only";
import { accessOf } from "@/lib/features/folders/model";
import type { RunResource } from "@/lib/features/runs/model";
import { withRunStatusOf } from "@/lib/features/runs/schedules/run-status";
import type { Caller } from "@/lib/platform/access/caller";
import type { DashboardDoc } from "./model";
import type { DashboardSummary } from "./schema";

/** Type of a dashboard in `lib/features/runs` and `lib/features/runs/schedules`, for its refreshes and its schedule. */
export const RESOURCE_TYPE = "dashboard";

/** Adds schedules and last refreshes to dashboards. */
export function withRunStatus<T extends DashboardSummary>(caller: Caller, dashboards: readonly T[]): Promise<T[]> {
  return withRunStatusOf(caller, RESOURCE_TYPE, dashboards);
}

/** Adds its schedule and last refresh to one dashboard. */
export async function withOwnRunStatus<T extends DashboardSummary>(caller: Caller, dashboard: T): Promise<T> {
  const [one = dashboard] = await withRunStatus(caller, [dashboard]);
  return one;
}

export function runResourceOf({ _id, workspaceId }: Pick<DashboardDoc, "_id" | "workspaceId">): RunResource {
  return { workspaceId, resourceType: RESOURCE_TYPE, resourceId: _id };
}

/** Limits refresh events of a private dashboard to its owner. */
export function onlyForOwner({ space, ownerId }: Pick<DashboardDoc, "space" | "ownerId">) {
  return accessOf(space) === "private" ? { onlyFor: ownerId } : {};
}
