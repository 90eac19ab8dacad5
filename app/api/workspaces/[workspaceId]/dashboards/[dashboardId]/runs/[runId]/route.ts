import { route } from "@/lib/features/accounts/route";
import { getRefresh } from "@/lib/features/dashboards/refresh";
import { dashboardRunSchema } from "@/lib/features/dashboards/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a dashboard refresh",
    description: "Returns the end of its log, with the row count or error of each dataset.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId", "runId"),
    response: dashboardRunSchema,
    failures: ["not_found"],
    handle: ({ caller, params }) => getRefresh(caller, params.dashboardId, params.runId),
  }),
});
