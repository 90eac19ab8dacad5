import { getDashboardShare, putDashboardShare, removeDashboardShare } from "@/lib/features/dashboards/share";
import { shareRoutes } from "@/lib/features/shares/share-routes";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = shareRoutes({
  noun: "a dashboard",
  seen: "Anyone with the link can view and filter the dashboard without signing in. Queries and connections are never sent. Data is read with the owner's permissions",
  params: pathIds("workspaceId", "dashboardId"),
  idOf: ({ dashboardId }) => dashboardId,
  get: getDashboardShare,
  put: putDashboardShare,
  remove: removeDashboardShare,
});
