import { route } from "@/lib/features/accounts/route";
import { onlyVisible } from "@/lib/features/notifications/resources";
import { runSchema, runsQuery } from "@/lib/features/runs/schema";
import { listWorkspaceRuns } from "@/lib/features/runs/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List runs",
    description:
      "Returns runs of visible consoles, flows and dashboards, newest first. A page can have fewer items than limit even if more follow.",
    tag: "Runs",
    access: member,
    params: pathIds("workspaceId"),
    query: runsQuery,
    response: pageOf(runSchema),
    handle: ({ caller, query }) => listWorkspaceRuns(caller, query, onlyVisible),
  }),
});
