import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { DASHBOARD_REFUSALS } from "@/lib/features/dashboards/reference";
import { createDashboardBody, dashboardSchema, dashboardSummarySchema } from "@/lib/features/dashboards/schema";
import { createDashboard, listDashboards } from "@/lib/features/dashboards/service";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";
import { listQuery } from "@/lib/platform/http/schema";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List dashboards",
    description: "Returns workspace dashboards and your private ones, oldest first, without contents.",
    tag: "Dashboards",
    access: member,
    params,
    query: listQuery,
    response: z.array(dashboardSummarySchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listDashboards(caller, query)),
  }),
  POST: route({
    summary: "Create a dashboard",
    description: "Commits the dashboard to the workspace repository. Its data is read with your permissions.",
    tag: "Dashboards",
    access: member,
    params,
    body: createDashboardBody,
    keepsDigits: true,
    response: dashboardSchema,
    failures: SAVE_FAILURES,
    refuses: DASHBOARD_REFUSALS,
    status: 201,
    message: "Dashboard created",
    handle: ({ caller, body }) => createDashboard(caller, body),
  }),
});
