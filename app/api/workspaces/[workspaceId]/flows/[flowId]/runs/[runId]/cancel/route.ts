import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { cancelFlowRun } from "@/lib/flows/runs";
import { pathIds } from "@/lib/http/ids";
import { runSchema } from "@/lib/runs/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Cancel a run of a flow",
    description:
      "One that waits ends at once, one that runs within seconds: `cancelRequestedAt` says since when it should. What it has written stays, unless it would have appeared all at once in the end.",
    tag: "Flows",
    access: member,
    params: pathIds("workspaceId", "flowId", "runId"),
    response: z.object({ run: runSchema }),
    failures: ["conflict"],
    handle: async ({ caller, params }) => ({ run: await cancelFlowRun(caller, params.flowId, params.runId) }),
  }),
});
