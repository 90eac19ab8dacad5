import { route } from "@/lib/features/accounts/route";
import { originVisibility } from "@/lib/features/instance/origin-visibility";
import { listExecutions } from "@/lib/features/query/executions";
import { executionSchema } from "@/lib/features/query/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { listQuery, pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List query executions",
    description:
      "Returns queries of the last 30 days, newest first. Members see their own, admins all. The text is returned to the person who ran it, and to admins who can see its origin.",
    tag: "Queries",
    access: member,
    params: pathIds("workspaceId"),
    query: listQuery,
    response: pageOf(executionSchema),
    handle: ({ caller, query }) => listExecutions(caller, query, originVisibility),
  }),
});
