import { route } from "@/lib/features/accounts/route";
import { UPDATE_FLOW_REFUSALS } from "@/lib/features/flows/reference";
import { flowDetailSchema, flowSchema, updateFlowBody } from "@/lib/features/flows/schema";
import { deleteFlow, getFlow, updateFlow } from "@/lib/features/flows/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "flowId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a flow",
    description: "With its last ten runs and, where it reads incrementally, how far it has come.",
    tag: "Flows",
    access: member,
    params,
    response: flowDetailSchema,
    handle: ({ caller, params }) => getFlow(caller, params.flowId),
  }),
  PATCH: route({
    summary: "Change a flow",
    description:
      "Who added it may, and admins. What is not sent stays; source and destination are sent whole. What it does can be changed while it does not run.",
    tag: "Flows",
    access: member,
    params,
    body: updateFlowBody,
    response: flowSchema,
    failures: ["read_only", "already_running", "conflict"],
    refuses: UPDATE_FLOW_REFUSALS,
    message: "Flow changed",
    handle: ({ caller, params, body }) => updateFlow(caller, params.flowId, body),
  }),
  DELETE: route({
    summary: "Delete a flow",
    description:
      "Who added it may, and admins. A run under way is cancelled; what was written stays, and what waits to be written goes.",
    tag: "Flows",
    access: member,
    params,
    message: "Flow deleted",
    handle: ({ caller, params }) => deleteFlow(caller, params.flowId),
  }),
});
