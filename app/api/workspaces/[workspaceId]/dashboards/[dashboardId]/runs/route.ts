import { route } from "@/lib/features/accounts/route";
import { listRefreshes } from "@/lib/features/dashboards/refresh";
import { runSchema } from "@/lib/features/runs/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { listQuery, pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Refreshes of a dashboard",
    description: "The newest first. The entities of each are the datasets and widgets that it reads.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    query: listQuery,
    response: pageOf(runSchema),
    failures: ["not_found"],
    handle: ({ caller, params, query }) => listRefreshes(caller, params.dashboardId, query),
  }),
});
