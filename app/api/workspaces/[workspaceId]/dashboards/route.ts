import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { DASHBOARD_REFUSALS } from "@/lib/dashboards/reference";
import { createDashboardBody, dashboardSchema, dashboardSummarySchema } from "@/lib/dashboards/schema";
import { createDashboard, listDashboards } from "@/lib/dashboards/service";
import { SAVE_FAILURES } from "@/lib/folders/reference";
import { pathIds } from "@/lib/http/ids";
import { asArray } from "@/lib/http/paging";
import { listQuery } from "@/lib/http/schema";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List dashboards",
    description: "Those of the workspace and your own private ones, without what is in them, oldest first.",
    tag: "Dashboards",
    access: member,
    params,
    query: listQuery,
    response: z.array(dashboardSummarySchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listDashboards(caller, query)),
  }),
  POST: route({
    summary: "Add a dashboard",
    description:
      "It becomes the first commit of its file in the workspace's repository. Its data is read with your rights.",
    tag: "Dashboards",
    access: member,
    params,
    body: createDashboardBody,
    response: dashboardSchema,
    failures: SAVE_FAILURES,
    refuses: DASHBOARD_REFUSALS,
    status: 201,
    message: "Dashboard added",
    handle: ({ caller, body }) => createDashboard(caller, body),
  }),
});
