import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { dashboardSummarySchema } from "@/lib/features/dashboards/schema";
import { lookUpDashboards } from "@/lib/features/dashboards/service";
import { lookupRoutes } from "@/lib/features/folders/item-routes";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = lookupRoutes(
  DASHBOARDS,
  "Dashboards",
  dashboardSummarySchema,
  lookUpDashboards,
);
