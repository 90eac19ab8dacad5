import { route } from "@/lib/features/accounts/route";
import { readDashboardCube } from "@/lib/features/dashboards/cube";
import { DATA_REFUSALS } from "@/lib/features/dashboards/reference";
import { cubeBody, cubeQuery, cubeSchema, localId } from "@/lib/features/dashboards/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "What the widgets of a dashboard show for whatever is pressed in one of them",
    description:
      "Under all other filters, as sums of parts: the browser makes the answer to each step of a brush from them itself, equal to that of `data`. At most 50,000 cells together; a widget that has none says why.",
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
    summary: "What the widgets of a dashboard show for whatever is pressed in one of them, for long filters",
    description: "The same as by GET, with filters in the body. They may be longer than an address.",
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
