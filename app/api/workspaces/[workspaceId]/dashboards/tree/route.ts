import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { dashboardSummarySchema } from "@/lib/features/dashboards/schema";
import { readDashboardTree } from "@/lib/features/dashboards/service";
import { treeRoutes } from "@/lib/features/folders/item-routes";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = treeRoutes(
  DASHBOARDS,
  "Dashboards",
  dashboardSummarySchema,
  readDashboardTree,
);
