import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { foldersRoutes } from "@/lib/features/folders/item-routes";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = foldersRoutes(DASHBOARDS, "Dashboards");
