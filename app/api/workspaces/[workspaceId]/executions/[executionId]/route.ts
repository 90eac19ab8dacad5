import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { visibleConsoleIds } from "@/lib/consoles/service";
import { pathIds } from "@/lib/http/ids";
import { getExecution } from "@/lib/query/executions";
import { executionParams, executionSchema } from "@/lib/query/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "One query of the history",
    description:
      "Members see their own, admins all, without the text of others' private consoles. It is here from its start on.",
    tag: "Queries",
    access: member,
    params: pathIds("workspaceId").extend(executionParams.shape),
    response: executionSchema,
    handle: ({ caller, params: { executionId } }) => getExecution(caller, executionId, visibleConsoleIds),
  }),
});
