import { route } from "@/lib/features/accounts/route";
import { listedRuleSchema, rulesQuery } from "@/lib/features/notifications/schema";
import { listWorkspaceRules } from "@/lib/features/notifications/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List notification rules",
    description:
      "Returns visible rules, newest first, each with its last delivery. A page can have fewer items than limit even if more follow.",
    tag: "Notifications",
    access: member,
    params: pathIds("workspaceId"),
    query: rulesQuery,
    response: pageOf(listedRuleSchema),
    handle: ({ query, caller }) => listWorkspaceRules(caller, query),
  }),
});
