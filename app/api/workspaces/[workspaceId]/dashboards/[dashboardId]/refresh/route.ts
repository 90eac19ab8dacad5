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
      "Reads everything that it shows anew, in the background and with the rights of its owner. While one refresh goes on, whoever asks gets that one. What could not be read keeps its old rows; the run's log says why. Its progress is on the workspace's events.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId"),
    response: z.object({ run: runSchema }),
    status: 202,
    failures: ["not_found", "already_running"],
    handle: async ({ caller, params }) => ({ run: await startRefresh(caller, params.dashboardId) }),
  }),
});
