import { route } from "@/lib/features/accounts/route";
import { CHANNEL_REFUSALS, SNAPSHOT_REFUSALS } from "@/lib/features/notifications/reference";
import { savedSnapshotSchema, updateSnapshotBody } from "@/lib/features/notifications/snapshot-schema";
import { deleteSnapshot, updateSnapshot } from "@/lib/features/notifications/snapshots/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "dashboardId", "snapshotId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  PATCH: route({
    summary: "Update a snapshot",
    description: "Updates only the fields you send. A new channelType requires that channel's fields.",
    tag: "Dashboards",
    access: member,
    params,
    body: updateSnapshotBody,
    keepsDigits: true,
    response: savedSnapshotSchema,
    failures: ["not_found", "forbidden", "address_refused", "conflict"],
    refuses: { ...SNAPSHOT_REFUSALS, ...CHANNEL_REFUSALS },
    message: "Snapshot saved",
    handle: ({ caller, params, body }) => updateSnapshot(caller, params, body),
  }),
  DELETE: route({
    summary: "Delete a snapshot",
    description: "Cancels queued deliveries. Past deliveries stay in the log.",
    tag: "Dashboards",
    access: member,
    params,
    failures: ["not_found", "forbidden"],
    message: "Snapshot deleted",
    handle: ({ caller, params }) => deleteSnapshot(caller, params.dashboardId, params.snapshotId),
  }),
});
