import { route } from "@/lib/features/accounts/route";
import { readDashboardData } from "@/lib/features/dashboards/data";
import { DATA_REFUSALS } from "@/lib/features/dashboards/reference";
import { dashboardDataSchema, dataBody, dataQuery } from "@/lib/features/dashboards/schema";
import { streamDashboardData } from "@/lib/features/dashboards/stream";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { acceptsLines } from "@/lib/platform/http/lines";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get the data of a dashboard",
    description:
      'Computes each widget from cached rows. Datasets that were never read are read now with the owner\'s permissions. A failed widget has its error in `error` and does not affect others. With Accept: application/x-ndjson, streams one line per widget, then `{"end": true}`, or `{"error"}` on failure.',
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    query: dataQuery,
    response: dashboardDataSchema,
    refuses: DATA_REFUSALS,
    handle: ({ caller, params, query, request, signal }) =>
      acceptsLines(request)
        ? streamDashboardData(caller, params.dashboardId, query, signal)
        : readDashboardData(caller, params.dashboardId, query, signal),
  }),
  POST: route({
    summary: "Get the data of a dashboard, for long filters",
    description: "Same as GET, with the filters in the body. Use it if they are too long for a URL.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    isRead: true,
    body: dataBody,
    keepsDigits: true,
    response: dashboardDataSchema,
    refuses: DATA_REFUSALS,
    handle: ({ caller, params, body, request, signal }) =>
      acceptsLines(request)
        ? streamDashboardData(caller, params.dashboardId, body, signal)
        : readDashboardData(caller, params.dashboardId, body, signal),
  }),
});
