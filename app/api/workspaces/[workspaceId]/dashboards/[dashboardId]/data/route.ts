import { route } from "@/lib/features/accounts/route";
import { readDashboardData } from "@/lib/features/dashboards/data";
import { DATA_REFUSALS } from "@/lib/features/dashboards/reference";
import { dashboardDataSchema, dataBody, dataQuery } from "@/lib/features/dashboards/schema";
import { streamDashboardData, WIDGET_LINES } from "@/lib/features/dashboards/stream";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "What the widgets of a dashboard show",
    description:
      'Computed from the rows that are kept, never by the source; what was never read is read now, with the rights of the dashboard\'s owner. A widget that fails says so in `error` and fails no other. Who accepts application/x-ndjson gets a line a widget, each as soon as it is computed, and then `{"end": true}`, or `{"error"}` where the rest could not be read.',
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    query: dataQuery,
    response: dashboardDataSchema,
    refuses: DATA_REFUSALS,
    handle: ({ caller, params, query, request, signal }) =>
      request.headers.get("accept")?.includes(WIDGET_LINES)
        ? streamDashboardData(caller, params.dashboardId, query, signal)
        : readDashboardData(caller, params.dashboardId, query, signal),
  }),
  POST: route({
    summary: "What the widgets of a dashboard show, for long filters",
    description: "The same as by GET, with filters in the body. They may be longer than an address.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    isRead: true,
    body: dataBody,
    keepsDigits: true,
    response: dashboardDataSchema,
    refuses: DATA_REFUSALS,
    handle: ({ caller, params, body, request, signal }) =>
      request.headers.get("accept")?.includes(WIDGET_LINES)
        ? streamDashboardData(caller, params.dashboardId, body, signal)
        : readDashboardData(caller, params.dashboardId, body, signal),
  }),
});
