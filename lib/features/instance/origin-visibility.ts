import "server-only";
import { visibleAppIds } from "@/lib/features/apps/service";
import { visibleConsoleIds } from "@/lib/features/consoles/service";
import { visibleDashboardIds } from "@/lib/features/dashboards/service";
import type { OriginVisibility } from "@/lib/features/query/executions";

/** Decides which origins of queries a caller can see (docs/develop/security.md, Queries of others). */
export const originVisibility: OriginVisibility = {
  console: visibleConsoleIds,
  dashboard: visibleDashboardIds,
  app: visibleAppIds,
};
