import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { cancelRefresh } from "@/lib/features/dashboards/refresh";
import { runSchema } from "@/lib/features/runs/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Cancel a dashboard refresh",
    description: "Datasets already refreshed are kept.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId", "runId"),
    response: z.object({ run: runSchema }),
    failures: ["not_found", "conflict"],
    handle: async ({ caller, params }) => ({ run: await cancelRefresh(caller, params.dashboardId, params.runId) }),
  }),
});
