import "server-only";
import type { ObjectId } from "mongodb";
import { findConsoleReaders, getConsoleDocOrThrow, visibleConsoleIds } from "@/lib/features/consoles/service";
import { findDashboardReaders, getDashboardDocOrThrow, visibleDashboardIds } from "@/lib/features/dashboards/service";
import { getFlowDocOrThrow } from "@/lib/features/flows/run-status";
import { visibleFlowIds } from "@/lib/features/flows/service";
import type { ResourceType } from "@/lib/features/runs/schema";
import type { Caller } from "@/lib/platform/access/caller";

/** Users who may see a resource: every member, its owner by id, or no one if it is deleted for good. */
export type Readers = "everybody" | "nobody" | ObjectId;

/** A kind of resource that has runs; some may have rules. One entry for each kind. */
type Kind = {
  /** @throws AppError `not_found`, the same for one that is unknown, another workspace's or hidden from the caller */
  getOrThrow: (caller: Caller, id: ObjectId) => Promise<{ name: string }>;
  /** Returns which of these the caller may see. Recently deleted ones keep their last visibility. */
  visibleIds: (caller: Caller, ids: ObjectId[]) => Promise<ReadonlySet<string>>;
  findReaders: (workspaceId: ObjectId, id: ObjectId) => Promise<Readers>;
  /** Returns the path of a run's page, below the workspace's. */
  pageOf: (resourceId: string, runId: string) => string;
};

const KINDS: Record<ResourceType, Kind> = {
  scheduled_query: {
    getOrThrow: getConsoleDocOrThrow,
    visibleIds: visibleConsoleIds,
    findReaders: findConsoleReaders,
    pageOf: (resourceId, runId) => `consoles/${resourceId}/schedule?run=${runId}`,
  },
  flow: {
    getOrThrow: getFlowDocOrThrow,
    visibleIds: visibleFlowIds,
    // Events about a deleted flow have no effect: no list shows its deliveries.
    findReaders: () => Promise.resolve("everybody"),
    pageOf: (resourceId, runId) => `flows/${resourceId}/runs/${runId}`,
  },
  // A dashboard has no rules (docs/develop/notifications.md); its refreshes are in the list of runs.
  dashboard: {
    getOrThrow: async (caller, id) => ({ name: (await getDashboardDocOrThrow(caller, id)).title }),
    visibleIds: visibleDashboardIds,
    findReaders: findDashboardReaders,
    pageOf: (resourceId) => `dashboards/${resourceId}`,
  },
};

/** @throws AppError `not_found` */
export function getResourceOrThrow(caller: Caller, type: ResourceType, id: ObjectId): Promise<{ name: string }> {
  return KINDS[type].getOrThrow(caller, id);
}

/** Returns those documents whose resource the caller may see. */
export async function onlyVisible<T extends { resourceType: ResourceType; resourceId: ObjectId }>(
  caller: Caller,
  docs: T[],
): Promise<T[]> {
  const types = [...new Set(docs.map(({ resourceType }) => resourceType))];
  const visible = await Promise.all(
    types.map(async (type) => {
      const ids = docs.filter((doc) => doc.resourceType === type).map(({ resourceId }) => resourceId);
      return [type, await KINDS[type].visibleIds(caller, ids)] as const;
    }),
  );
  const byType = new Map(visible);
  return docs.filter(({ resourceType, resourceId }) => byType.get(resourceType)?.has(resourceId.toHexString()));
}

export function pageOfRun(type: ResourceType, resourceId: string, runId: string): string {
  return KINDS[type].pageOf(resourceId, runId);
}

/** Returns the users who may see the runs of a resource. A recently deleted one keeps its last visibility. */
export function findReaders(workspaceId: ObjectId, type: ResourceType, id: ObjectId): Promise<Readers> {
  return KINDS[type].findReaders(workspaceId, id);
}

/** Returns the owner of a private resource; null for a shared or deleted one. */
export async function findResourceOwner(
  workspaceId: ObjectId,
  type: ResourceType,
  id: ObjectId,
): Promise<ObjectId | null> {
  const readers = await findReaders(workspaceId, type, id);
  return typeof readers === "string" ? null : readers;
}
