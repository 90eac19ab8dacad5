import { route } from "@/lib/features/accounts/route";
import { getRefresh } from "@/lib/features/dashboards/refresh";
import { dashboardRunSchema } from "@/lib/features/dashboards/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a refresh of a dashboard",
    description: "With the end of its log, which says of each dataset how many rows it has, or why it has none.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId", "runId"),
    response: dashboardRunSchema,
    failures: ["not_found"],
    handle: ({ caller, params }) => getRefresh(caller, params.dashboardId, params.runId),
  }),
});
