import "server-only";
import { dropDatasets } from "@/lib/datasets/service";
import { asFiled, type Cabinet } from "@/lib/folders/cabinet";
import { followDeletion } from "@/lib/runs/deletion";
import { cancelUnfinished } from "@/lib/runs/service";
import { removeSchedule } from "@/lib/schedules/service";
import { dropShare } from "@/lib/shares/service";
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
