import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { pageOf } from "@/lib/http/schema";
import { listedRuleSchema, rulesQuery } from "@/lib/notifications/schema";
import { listWorkspaceRules } from "@/lib/notifications/service";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "All notification rules",
    description:
      "Of what the caller may see in the workspace, the newest first, each with its last delivery. A page may have less than its limit and still go on.",
    tag: "Notifications",
    access: member,
    params: pathIds("workspaceId"),
    query: rulesQuery,
    response: pageOf(listedRuleSchema),
    handle: ({ query, caller }) => listWorkspaceRules(caller, query),
  }),
});
