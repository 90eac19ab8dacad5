import { getDashboardShare, putDashboardShare, removeDashboardShare } from "@/lib/features/dashboards/share";
import { shareRoutes } from "@/lib/features/shares/share-routes";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = shareRoutes({
  noun: "a dashboard",
  seen: "Whoever has the link sees the dashboard without signing in, and may filter it; queries and connections are never sent. Its data is read with its owner's rights",
  params: pathIds("workspaceId", "dashboardId"),
  idOf: ({ dashboardId }) => dashboardId,
  get: getDashboardShare,
  put: putDashboardShare,
  remove: removeDashboardShare,
});
