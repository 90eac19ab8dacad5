import { route } from "@/lib/features/accounts/route";
import { UNDELETE_REFUSALS } from "@/lib/features/dashboards/reference";
import { dashboardSchema, undeleteDashboardBody } from "@/lib/features/dashboards/schema";
import { undeleteDashboard } from "@/lib/features/dashboards/service";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Bring a deleted dashboard back",
    description:
      "With its id and its history, to the folder in `folderId`; else to its old place or, when its folder is gone, to the top level.",
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
