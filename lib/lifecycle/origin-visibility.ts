import "server-only";
import { visibleAppIds } from "@/lib/apps/service";
import { visibleConsoleIds } from "@/lib/consoles/service";
import { visibleDashboardIds } from "@/lib/dashboards/service";
import type { OriginVisibility } from "@/lib/query/executions";

/** Decides which origins of queries a caller can see (docs/security.md, Queries of others). */
export const originVisibility: OriginVisibility = {
  console: visibleConsoleIds,
  dashboard: visibleDashboardIds,
  app: visibleAppIds,
};
