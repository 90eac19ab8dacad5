import "server-only";
import { asFiled, type Cabinet } from "@/lib/features/folders/cabinet";
import { dropDatasets } from "@/lib/features/results/datasets/service";
import { followDeletion } from "@/lib/features/runs/deletion";
import { removeSchedule } from "@/lib/features/runs/schedules/service";
import { cancelUnfinished } from "@/lib/features/runs/service";
import { dropShare } from "@/lib/features/shares/service";
import { collections } from "./collections";
import { dropFirstPages } from "./first-pages";
import type { DashboardDoc } from "./model";
import { RESOURCE_TYPE } from "./standing";

/** Some for each member of a large team. */
const ITEMS_MAX = 2_000;

/** Where dashboards are filed. */
export const DASHBOARDS: Cabinet = {
  noun: "dashboard",
  root: "dashboards",
  itemsMax: ITEMS_MAX,
  ...asFiled<DashboardDoc>({
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
    // One that comes back is read anew.
    await dropDatasets({ workspaceId, kind: "dashboard", id });
    await dropFirstPages(workspaceId, id);
  },
};
