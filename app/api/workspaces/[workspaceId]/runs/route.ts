import { route } from "@/lib/features/accounts/route";
import { onlyVisible } from "@/lib/features/notifications/resources";
import { runSchema, runsQuery } from "@/lib/features/runs/schema";
import { listWorkspaceRuns } from "@/lib/features/runs/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "All runs",
    description:
      "Of the consoles, flows and dashboards of the workspace that the caller may see, the newest first. A page may have less than its limit and still go on.",
    tag: "Runs",
    access: member,
    params: pathIds("workspaceId"),
    query: runsQuery,
    response: pageOf(runSchema),
    handle: ({ caller, query }) => listWorkspaceRuns(caller, query, onlyVisible),
  }),
});
