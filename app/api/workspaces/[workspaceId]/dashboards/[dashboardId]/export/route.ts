import { route } from "@/lib/features/accounts/route";
import { exportDashboard } from "@/lib/features/dashboards/portable";
import { exportedDashboardSchema } from "@/lib/features/dashboards/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Export a dashboard",
    description:
      "Returns JSON for POST .../import, with connection names and console contents, in which variables are parameters with their default values. Returns 409 if a source no longer exists, is a console you can't see, or has a variable without a value.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    response: exportedDashboardSchema,
    failures: ["conflict"],
    handle: ({ caller, params }) => exportDashboard(caller, params.dashboardId),
  }),
});
