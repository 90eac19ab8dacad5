import "server-only";
import { declareDraftCollection } from "@/lib/features/folders/drafts";
import { declareItemCollections } from "@/lib/features/folders/item-collections";
import { DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import type { DashboardDoc, DashboardDraftDoc, FirstPageDoc } from "./model";

/** Same retention as for unused rows, in days. */
const PAGE_DAYS = 90;

const filed = declareItemCollections<DashboardDoc>("dashboard", [
  { key: { workspaceId: 1, connectionIds: 1 }, serves: "the dashboards that read a connection" },
  { key: { workspaceId: 1, consoleIds: 1 }, serves: "the dashboards that read a console" },
  { key: { workspaceId: 1, metrics: 1 }, serves: "the dashboards that show a metric" },
]);

export const collections = {
  dashboards: filed.items,
  dashboardFolders: filed.folders,
  deletedDashboards: filed.deleted,
  dashboardDrafts: declareDraftCollection<DashboardDraftDoc>("dashboard_drafts", "dashboardId"),
  firstPages: declareCollection<FirstPageDoc>("dashboardFirstPages", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, dashboardId: 1, zone: 1 }, unique: true, serves: "the initial view of a dashboard" },
      {
        key: { at: 1 },
        expireAfterSeconds: PAGE_DAYS * DAY_SECONDS,
        serves: "expiry of initial views",
      },
    ],
  }),
};
