import { route } from "@/lib/features/accounts/route";
import { exportDashboard } from "@/lib/features/dashboards/portable";
import { exportedDashboardSchema } from "@/lib/features/dashboards/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Export a dashboard",
    description:
      "As JSON that POST .../import takes, here or elsewhere: connections by their names, consoles by their texts. 409 when something that it reads is gone, or is a console that you cannot see.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    response: exportedDashboardSchema,
    failures: ["conflict"],
    handle: ({ caller, params }) => exportDashboard(caller, params.dashboardId),
  }),
});
