import "server-only";
import type { ObjectId } from "mongodb";
import { findConsoleReaders, getConsoleDocOrThrow, visibleConsoleIds } from "@/lib/features/consoles/service";
import { findDashboardReaders, getDashboardDocOrThrow, visibleDashboardIds } from "@/lib/features/dashboards/service";
import { visibleFlowIds } from "@/lib/features/flows/service";
import { getFlowDocOrThrow } from "@/lib/features/flows/standing";
import type { ResourceType } from "@/lib/features/runs/schema";
import type { Caller } from "@/lib/platform/access/caller";

/** Every member, or the one whose own it is, by their id; nobody for what is gone for good. */
export type Readers = "everybody" | "nobody" | ObjectId;

/** What has runs, of which some may have rules. One line a kind of resource. */
type Kind = {
  /** @throws AppError `not_found`, the same for one that is unknown, another workspace's or hidden from the caller */
  getOrThrow: (caller: Caller, id: ObjectId) => Promise<{ name: string }>;
  /** Which of these the caller may see, the lately deleted ones as they were. */
  visibleIds: (caller: Caller, ids: ObjectId[]) => Promise<ReadonlySet<string>>;
  findReaders: (workspaceId: ObjectId, id: ObjectId) => Promise<Readers>;
  /** The page of one run, below the workspace's own. */
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
    // Those of a flow that is gone are told in vain: no list shows them any more.
    findReaders: () => Promise.resolve("everybody"),
    pageOf: (resourceId, runId) => `flows/${resourceId}/runs/${runId}`,
  },
  // No rules stand on one (docs/develop/notifications.md); its refreshes are in the list of runs.
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

/** Keeps of these documents those whose resource the caller may see. */
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

/** Who may see what becomes of a resource, the lately deleted ones as they were. */
export function findReaders(workspaceId: ObjectId, type: ResourceType, id: ObjectId): Promise<Readers> {
  return KINDS[type].findReaders(workspaceId, id);
}

/** Whose it is alone; null for what the workspace shares, and for what is gone. */
export async function findResourceOwner(
  workspaceId: ObjectId,
  type: ResourceType,
  id: ObjectId,
): Promise<ObjectId | null> {
  const readers = await findReaders(workspaceId, type, id);
  return typeof readers === "string" ? null : readers;
}
