import "server-only";
import { type ItemKind, itemKindOf } from "@/lib/features/folders/item-kind";
import { dropDatasets } from "@/lib/features/results/datasets/service";
import { followDeletion } from "@/lib/features/runs/deletion";
import { removeSchedule } from "@/lib/features/runs/schedules/service";
import { cancelUnfinished } from "@/lib/features/runs/service";
import { dropShare } from "@/lib/features/shares/service";
import { collections } from "./collections";
import { dropFirstPages } from "./initial-view-cache";
import type { DashboardDoc } from "./model";
import { RESOURCE_TYPE } from "./run-status";

/** Maximum number of dashboards: some for each member of a large team. */
const ITEMS_MAX = 2_000;

/** Dashboards, as a kind of file in folders. */
export const DASHBOARDS: ItemKind = {
  noun: "dashboard",
  root: "dashboards",
  itemsMax: ITEMS_MAX,
  ...itemKindOf<DashboardDoc>({
    items: collections.dashboards,
    folders: collections.dashboardFolders,
    deleted: collections.deletedDashboards,
    journals: collections.dashboardJournals,
  }),
  async forget(workspaceId, id) {
    const resource = { workspaceId, resourceType: RESOURCE_TYPE, resourceId: id } as const;
    await removeSchedule({ workspaceId }, resource);
    await cancelUnfinished(resource, null);
    await followDeletion(resource);
    await dropShare({ workspaceId, kind: "dashboard", resourceId: id });
    // A restored dashboard reads its rows again.
    await dropDatasets({ workspaceId, kind: "dashboard", id });
    await dropFirstPages(workspaceId, id);
  },
};
