import { route } from "@/lib/features/accounts/route";
import { getFlowRun } from "@/lib/features/flows/runs";
import { flowRunSchema } from "@/lib/features/flows/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a flow run",
    description: "Returns row counts per table and the end of its log.",
    tag: "Flows",
    access: member,
    params: pathIds("workspaceId", "flowId", "runId"),
    response: flowRunSchema,
    handle: ({ caller, params }) => getFlowRun(caller, params.flowId, params.runId),
  }),
});
