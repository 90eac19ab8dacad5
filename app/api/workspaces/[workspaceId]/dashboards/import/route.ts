import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { importDashboard } from "@/lib/dashboards/portable";
import { IMPORT_REFUSALS } from "@/lib/dashboards/reference";
import { dashboardSchema, importDashboardBody } from "@/lib/dashboards/schema";
import { SAVE_FAILURES } from "@/lib/folders/reference";
import { pathIds } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Import a dashboard",
    description:
      "What .../export gave. `connections` says which connection a name means here; else it is the one of that name.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId"),
    body: importDashboardBody,
    response: dashboardSchema,
    failures: SAVE_FAILURES,
    refuses: IMPORT_REFUSALS,
    status: 201,
    message: "Dashboard imported",
    handle: ({ caller, body }) => importDashboard(caller, body),
  }),
});
