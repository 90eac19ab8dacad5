import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { historyRoutes } from "@/lib/features/folders/item-routes";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = historyRoutes(DASHBOARDS, {
  tag: "Dashboards",
  params: pathIds("workspaceId", "dashboardId"),
  idOf: ({ dashboardId }) => dashboardId,
});
