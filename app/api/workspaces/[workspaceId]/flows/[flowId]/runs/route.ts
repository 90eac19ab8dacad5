import { route } from "@/lib/features/accounts/route";
import { BACKFILL_REFUSALS } from "@/lib/features/flows/reference";
import { backfillFlow, listFlowRuns } from "@/lib/features/flows/runs";
import { backfillBody, flowStartedSchema } from "@/lib/features/flows/schema";
import { runSchema } from "@/lib/features/runs/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { listQuery, pageOf } from "@/lib/platform/http/schema";

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
