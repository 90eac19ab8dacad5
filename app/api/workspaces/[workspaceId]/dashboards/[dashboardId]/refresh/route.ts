import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { startRefresh } from "@/lib/features/dashboards/refresh";
import { runSchema } from "@/lib/features/runs/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Refresh a dashboard",
    description:
      "Refreshes all datasets in the background with the owner's permissions. Returns the current refresh if one is running. Datasets that fail keep their old rows; see the run's log. Progress is sent as workspace events.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    response: z.object({ run: runSchema }),
    status: 202,
    failures: ["not_found", "already_running"],
    handle: async ({ caller, params }) => ({ run: await startRefresh(caller, params.dashboardId) }),
  }),
});
