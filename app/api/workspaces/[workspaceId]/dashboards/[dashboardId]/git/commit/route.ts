import { route } from "@/lib/features/accounts/route";
import { dashboardCommitSchema } from "@/lib/features/dashboards/schema";
import { getDashboardCommit } from "@/lib/features/dashboards/service";
import { commitQuery } from "@/lib/features/folders/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a commit of a dashboard",
    description: "Returns the diff and a summary for this dashboard only. Returns 409 if the SHA prefix is ambiguous.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    query: commitQuery,
    response: dashboardCommitSchema,
    failures: ["conflict"],
    handle: ({ caller, params, query }) => getDashboardCommit(caller, params.dashboardId, query.sha),
  }),
});
