import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { snapshotSchema } from "@/lib/notifications/snapshot-schema";
import { sendSnapshotNow } from "@/lib/notifications/snapshots/service";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Send a snapshot now",
    description:
      "Beside its schedule, ten times an hour a workspace. It is drawn and sent in the background; how that went is its last delivery.",
    tag: "Dashboards",
    access: member,
    params: pathIds("workspaceId", "dashboardId", "snapshotId"),
    response: snapshotSchema,
    status: 202,
    failures: ["not_found", "forbidden", "conflict", "rate_limited"],
    message: "Snapshot on its way",
    handle: ({ caller, params }) => sendSnapshotNow(caller, params.dashboardId, params.snapshotId),
  }),
});
