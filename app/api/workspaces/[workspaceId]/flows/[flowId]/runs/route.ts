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
    summary: "List flow runs",
    description: "Returns runs newest first.",
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
      "Reads rows again: all of them, or from a cursor value. Appending flows duplicate rows; upserts update them.",
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
