import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { visibleConsoleIds } from "@/lib/consoles/service";
import { pathIds } from "@/lib/http/ids";
import { listQuery, pageOf } from "@/lib/http/schema";
import { listExecutions } from "@/lib/query/executions";
import { executionSchema } from "@/lib/query/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Query history",
    description:
      "The queries that were run in the workspace in the last 30 days, the newest first: members see their own, admins all, without the text of others' private consoles.",
    tag: "Queries",
    access: member,
    params: pathIds("workspaceId"),
    query: listQuery,
    response: pageOf(executionSchema),
    handle: ({ caller, query }) => listExecutions(caller, query, visibleConsoleIds),
  }),
});
