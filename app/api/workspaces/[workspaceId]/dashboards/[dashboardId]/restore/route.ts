import { route } from "@/lib/features/accounts/route";
import { UNDELETE_REFUSALS } from "@/lib/features/dashboards/reference";
import { dashboardSchema, undeleteDashboardBody } from "@/lib/features/dashboards/schema";
import { undeleteDashboard } from "@/lib/features/dashboards/service";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Restore a deleted dashboard",
    description:
      "Restores it with its ID and history to `folderId`, its old folder or, if that no longer exists, the top level.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    body: undeleteDashboardBody,
    response: dashboardSchema,
    failures: SAVE_FAILURES,
    refuses: UNDELETE_REFUSALS,
    message: "Dashboard restored",
    handle: ({ caller, params, body }) => undeleteDashboard(caller, params.dashboardId, body.folderId),
  }),
});
