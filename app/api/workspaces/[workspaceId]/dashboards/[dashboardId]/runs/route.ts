import { route } from "@/lib/features/accounts/route";
import { listRefreshes } from "@/lib/features/dashboards/refresh";
import { runSchema } from "@/lib/features/runs/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { listQuery, pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List dashboard refreshes",
    description: "Returns refreshes newest first, each with its datasets and widgets as entities.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    query: listQuery,
    response: pageOf(runSchema),
    failures: ["not_found"],
    handle: ({ caller, params, query }) => listRefreshes(caller, params.dashboardId, query),
  }),
});
