import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { listRefreshes } from "@/lib/dashboards/refresh";
import { pathIds } from "@/lib/http/ids";
import { listQuery, pageOf } from "@/lib/http/schema";
import { runSchema } from "@/lib/runs/schema";

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
