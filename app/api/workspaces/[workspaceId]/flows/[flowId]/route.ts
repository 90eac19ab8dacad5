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
    description: "Returns its last ten runs and, for incremental flows, its checkpoint.",
    tag: "Flows",
    access: member,
    params,
    response: flowDetailSchema,
    handle: ({ caller, params }) => getFlow(caller, params.flowId),
  }),
  PATCH: route({
    summary: "Update a flow",
    description:
      "Requires its creator or an admin. Updates only the fields you send; send source and destination in full. Can't change a running flow's definition.",
    tag: "Flows",
    access: member,
    params,
    body: updateFlowBody,
    response: flowSchema,
    failures: ["read_only", "already_running", "conflict"],
    refuses: UPDATE_FLOW_REFUSALS,
    message: "Flow updated",
    handle: ({ caller, params, body }) => updateFlow(caller, params.flowId, body),
  }),
  DELETE: route({
    summary: "Delete a flow",
    description:
      "Requires its creator or an admin. Cancels a current run. Written rows are kept; queued events are dropped.",
    tag: "Flows",
    access: member,
    params,
    message: "Flow deleted",
    handle: ({ caller, params }) => deleteFlow(caller, params.flowId),
  }),
});
