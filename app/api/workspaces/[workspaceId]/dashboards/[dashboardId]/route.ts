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
      "A commit, when its file changes. `version` is the one that you have seen: if somebody has saved since, the answer is 409 with theirs in details.current. Move and share by folderId and access.",
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
    description: "A commit too. For 30 days POST .../restore takes it back.",
    tag: "Dashboards",
    access: member,
    params,
    failures: SAVE_FAILURES,
    message: "Dashboard deleted",
    handle: ({ caller, params }) => deleteDashboard(caller, params.dashboardId),
  }),
});
