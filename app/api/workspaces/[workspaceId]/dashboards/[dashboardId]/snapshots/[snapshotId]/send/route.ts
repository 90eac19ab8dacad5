import { route } from "@/lib/features/accounts/route";
import { snapshotSchema } from "@/lib/features/notifications/snapshot-schema";
import { sendSnapshotNow } from "@/lib/features/notifications/snapshots/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Send a snapshot now",
    description:
      "Renders and sends it in the background, outside its schedule. Limit: ten per hour and workspace. See its last delivery for the outcome.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId", "snapshotId"),
    response: snapshotSchema,
    status: 202,
    failures: ["not_found", "forbidden", "conflict", "rate_limited"],
    message: "Snapshot queued",
    handle: ({ caller, params }) => sendSnapshotNow(caller, params.dashboardId, params.snapshotId),
  }),
});
