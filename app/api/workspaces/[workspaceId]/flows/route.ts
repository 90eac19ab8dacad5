import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { FLOW_REFUSALS, startedEnvelope } from "@/lib/features/flows/reference";
import { triggerFlow } from "@/lib/features/flows/runs";
import { flowListQuery, flowSchema, flowStartedSchema, postFlowBody } from "@/lib/features/flows/schema";
import { createFlow, listFlows } from "@/lib/features/flows/service";
import { member } from "@/lib/platform/access/rules";
import { success } from "@/lib/platform/http/envelope";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List flows",
    description: "Returns flows oldest first, each with its last run.",
    tag: "Flows",
    access: member,
    params,
    query: flowListQuery,
    response: z.array(flowSchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listFlows(caller, query)),
  }),
  POST: route({
    summary: "Run or create a flow",
    description:
      "With `flowId`, runs the flow (202, up to 60 per minute). With a definition, creates it (201) and runs it, unless it is a webhook or `trigger` is false. Runs continue if the client disconnects.",
    tag: "Flows",
    access: member,
    params,
    body: postFlowBody,
    keepsDigits: true,
    response: flowStartedSchema,
    status: 201,
    outside: { 202: { "application/json": startedEnvelope } },
    failures: ["not_found", "read_only", "already_running", "rate_limited"],
    refuses: FLOW_REFUSALS,
    handle: async ({ caller, body }) =>
      "flowId" in body
        ? success(await triggerFlow(caller, body), { status: 202, message: "Run queued" })
        : createFlow(caller, body),
  }),
});
