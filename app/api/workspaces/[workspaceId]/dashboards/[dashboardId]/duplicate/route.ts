import { route } from "@/lib/features/accounts/route";
import { dashboardSchema } from "@/lib/features/dashboards/schema";
import { duplicateDashboard } from "@/lib/features/dashboards/service";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Duplicate a dashboard",
    description: "Creates a copy that you own, in the same folder with its own history.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    response: dashboardSchema,
    failures: SAVE_FAILURES,
    status: 201,
    message: "Dashboard duplicated",
    handle: ({ caller, params }) => duplicateDashboard(caller, params.dashboardId),
  }),
});
