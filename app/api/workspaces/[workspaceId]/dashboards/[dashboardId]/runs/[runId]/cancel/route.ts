import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { cancelRefresh } from "@/lib/dashboards/refresh";
import { pathIds } from "@/lib/http/ids";
import { runSchema } from "@/lib/runs/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Cancel a refresh of a dashboard",
    description: "What it has read by then is kept.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId", "runId"),
    response: z.object({ run: runSchema }),
    failures: ["not_found", "conflict"],
    handle: async ({ caller, params }) => ({ run: await cancelRefresh(caller, params.dashboardId, params.runId) }),
  }),
});
