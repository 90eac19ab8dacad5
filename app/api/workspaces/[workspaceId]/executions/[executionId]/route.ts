import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { originVisibility } from "@/lib/lifecycle/origin-visibility";
import { getExecution } from "@/lib/query/executions";
import { executionParams, executionSchema } from "@/lib/query/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "One query of the history",
    description:
      "Members see their own, admins all. The text is returned to the person who ran it, and to admins who can see its origin. A query is listed from its start.",
    tag: "Queries",
    access: member,
    params: pathIds("workspaceId").extend(executionParams.shape),
    response: executionSchema,
    handle: ({ caller, params: { executionId } }) => getExecution(caller, executionId, originVisibility),
  }),
});
