import { route } from "@/lib/features/accounts/route";
import { importDashboard } from "@/lib/features/dashboards/portable";
import { IMPORT_REFUSALS } from "@/lib/features/dashboards/reference";
import { dashboardSchema, importDashboardBody } from "@/lib/features/dashboards/schema";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Import a dashboard",
    description:
      "Accepts the JSON of .../export. `connections` maps connection names to IDs; unmapped names match by name.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId"),
    body: importDashboardBody,
    keepsDigits: true,
    response: dashboardSchema,
    failures: SAVE_FAILURES,
    refuses: IMPORT_REFUSALS,
    status: 201,
    message: "Dashboard imported",
    handle: ({ caller, body }) => importDashboard(caller, body),
  }),
});
