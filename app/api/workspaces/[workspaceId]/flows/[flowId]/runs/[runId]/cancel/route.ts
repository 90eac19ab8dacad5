import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { cancelFlowRun } from "@/lib/features/flows/runs";
import { runSchema } from "@/lib/features/runs/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Cancel a flow run",
    description:
      "Queued runs end immediately, running ones within seconds (see `cancelRequestedAt`). Written rows are kept, except in replace mode.",
    tag: "Flows",
    access: member,
    params: pathIds("workspaceId", "flowId", "runId"),
    response: z.object({ run: runSchema }),
    failures: ["conflict"],
    handle: async ({ caller, params }) => ({ run: await cancelFlowRun(caller, params.flowId, params.runId) }),
  }),
});
