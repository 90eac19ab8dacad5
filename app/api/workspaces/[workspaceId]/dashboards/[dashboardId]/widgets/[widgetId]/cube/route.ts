import { route } from "@/lib/features/accounts/route";
import { readDashboardCube } from "@/lib/features/dashboards/cube";
import { DATA_REFUSALS } from "@/lib/features/dashboards/reference";
import { cubeBody, cubeQuery, cubeSchema, localId } from "@/lib/features/dashboards/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get cross-filter data of a dashboard",
    description:
      "Returns partial aggregates under all other filters, so that the browser can compute each brush step. Results equal `data`. Up to 50,000 cells in total; widgets without a cube have a reason.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId").extend({ widgetId: localId }),
    query: cubeQuery,
    response: cubeSchema,
    refuses: DATA_REFUSALS,
    handle: ({ caller, params, query, signal }) =>
      readDashboardCube(caller, params.dashboardId, params.widgetId, query, signal),
  }),
  POST: route({
    summary: "Get cross-filter data of a dashboard, for long filters",
    description: "Same as GET, with the filters in the body. Use it if they are too long for a URL.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId").extend({ widgetId: localId }),
    isRead: true,
    body: cubeBody,
    keepsDigits: true,
    response: cubeSchema,
    refuses: DATA_REFUSALS,
    handle: ({ caller, params, body, signal }) =>
      readDashboardCube(caller, params.dashboardId, params.widgetId, body, signal),
  }),
});
