import { route } from "@/lib/features/accounts/route";
import { originVisibility } from "@/lib/features/instance/origin-visibility";
import { getExecution } from "@/lib/features/query/executions";
import { executionParams, executionSchema } from "@/lib/features/query/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a query execution",
    description:
      "Available from the start of the query. Members see their own queries, admins all. The text is returned to the person who ran it, and to admins who can see its origin.",
    tag: "Queries",
    access: member,
    params: pathIds("workspaceId").extend(executionParams.shape),
    response: executionSchema,
    handle: ({ caller, params: { executionId } }) => getExecution(caller, executionId, originVisibility),
  }),
});
