import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { listQuery, pageOf } from "@/lib/http/schema";
import { originVisibility } from "@/lib/lifecycle/origin-visibility";
import { listExecutions } from "@/lib/query/executions";
import { executionSchema } from "@/lib/query/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Query history",
    description:
      "The queries that were run in the workspace in the last 30 days, the newest first. Members see their own, admins all. The text is returned to the person who ran it, and to admins who can see its origin.",
    tag: "Queries",
    access: member,
    params: pathIds("workspaceId"),
    query: listQuery,
    response: pageOf(executionSchema),
    handle: ({ caller, query }) => listExecutions(caller, query, originVisibility),
  }),
});
