import { folderRoutes } from "@/lib/api/filed-routes";
import { DASHBOARDS } from "@/lib/dashboards/cabinet";
import { pathIds } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = folderRoutes(DASHBOARDS, {
  tag: "Dashboards",
  params: pathIds("workspaceId", "dashboardFolderId"),
  idOf: ({ dashboardFolderId }) => dashboardFolderId,
});
