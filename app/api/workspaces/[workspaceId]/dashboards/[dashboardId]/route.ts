import { route } from "@/lib/features/accounts/route";
import { DASHBOARD_REFUSALS } from "@/lib/features/dashboards/reference";
import { dashboardSchema, updateDashboardBody } from "@/lib/features/dashboards/schema";
import { deleteDashboard, getDashboard, updateDashboard } from "@/lib/features/dashboards/service";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "dashboardId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a dashboard",
    tag: "Dashboards",
    access: member,
    params,
    response: dashboardSchema,
    handle: ({ caller, params }) => getDashboard(caller, params.dashboardId),
  }),
  PUT: route({
    summary: "Save a dashboard",
    description:
      "Creates a commit if the file changes. Returns 409 with the current state in details.current if `version` is stale. Set folderId or access to move or share.",
    tag: "Dashboards",
    access: member,
    params,
    body: updateDashboardBody,
    keepsDigits: true,
    response: dashboardSchema,
    failures: SAVE_FAILURES,
    refuses: DASHBOARD_REFUSALS,
    message: "Dashboard saved",
    handle: ({ caller, params, body }) => updateDashboard(caller, params.dashboardId, body),
  }),
  DELETE: route({
    summary: "Delete a dashboard",
    description: "Creates a commit. Restore it within 30 days with POST .../restore.",
    tag: "Dashboards",
    access: member,
    params,
    failures: SAVE_FAILURES,
    message: "Dashboard deleted",
    handle: ({ caller, params }) => deleteDashboard(caller, params.dashboardId),
  }),
});
