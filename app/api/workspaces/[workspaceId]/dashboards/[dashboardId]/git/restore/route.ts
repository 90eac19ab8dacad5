import { route } from "@/lib/features/accounts/route";
import { dashboardSchema } from "@/lib/features/dashboards/schema";
import { restoreVersion } from "@/lib/features/dashboards/service";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { restoreVersionBody } from "@/lib/features/folders/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Restore a version of a dashboard",
    description: "Creates a new commit. Title and folder are kept.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    body: restoreVersionBody,
    response: dashboardSchema,
    failures: SAVE_FAILURES,
    message: "Dashboard restored",
    handle: ({ caller, params, body }) => restoreVersion(caller, params.dashboardId, body.sha),
  }),
});
