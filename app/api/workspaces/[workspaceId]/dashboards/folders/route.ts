import { foldersRoutes } from "@/lib/api/filed-routes";
import { DASHBOARDS } from "@/lib/dashboards/cabinet";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = foldersRoutes(DASHBOARDS, "Dashboards");
