import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { BACKFILL_REFUSALS } from "@/lib/flows/reference";
import { backfillFlow, listFlowRuns } from "@/lib/flows/runs";
import { backfillBody, flowStartedSchema } from "@/lib/flows/schema";
import { pathIds } from "@/lib/http/ids";
import { listQuery, pageOf } from "@/lib/http/schema";
import { runSchema } from "@/lib/runs/schema";

const params = pathIds("workspaceId", "flowId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Runs of a flow",
    description: "The newest first.",
    tag: "Flows",
    access: member,
    params,
    query: listQuery,
    response: pageOf(runSchema),
    handle: ({ caller, params, query }) => listFlowRuns(caller, params.flowId, query),
  }),
  POST: route({
    summary: "Backfill a flow",
    description:
      "Reads again what may have been read before: everything, or from a value of the cursor fields on. Rows that are appended are there twice then; an upsert changes them.",
    tag: "Flows",
    access: member,
    params,
    body: backfillBody,
    keepsDigits: true,
    response: flowStartedSchema,
    status: 202,
    failures: ["already_running", "rate_limited"],
    refuses: BACKFILL_REFUSALS,
    message: "Run queued",
    handle: ({ caller, params, body }) => backfillFlow(caller, params.flowId, body),
  }),
});
