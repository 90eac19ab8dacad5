import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { folderRoutes } from "@/lib/features/folders/item-routes";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = folderRoutes(DASHBOARDS, {
  tag: "Dashboards",
  params: pathIds("workspaceId", "dashboardFolderId"),
  idOf: ({ dashboardFolderId }) => dashboardFolderId,
});
