import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { pageOf } from "@/lib/http/schema";
import { onlyVisible } from "@/lib/notifications/resources";
import { runSchema, runsQuery } from "@/lib/runs/schema";
import { listWorkspaceRuns } from "@/lib/runs/service";

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
