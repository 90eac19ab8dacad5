import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { ADDRESS_REFUSALS, SNAPSHOT_REFUSALS } from "@/lib/features/notifications/reference";
import { createSnapshotBody, savedSnapshotSchema, snapshotSchema } from "@/lib/features/notifications/snapshot-schema";
import { createSnapshot, listSnapshots } from "@/lib/features/notifications/snapshots/service";
import { SCHEDULE_RULE } from "@/lib/features/runs/schedules/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { partOf } from "@/lib/platform/http/paging";
import { boundedListQuery } from "@/lib/platform/http/schema";

const params = pathIds("workspaceId", "dashboardId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List snapshots of a dashboard",
    description: "Returns up to 20 snapshots, each with its last delivery. Secrets and addresses are never returned.",
    tag: "Dashboards",
    access: member,
    params,
    query: boundedListQuery,
    response: z.array(snapshotSchema),
    failures: ["not_found"],
    handle: async ({ caller, params, query, headers }) =>
      partOf(headers, await listSnapshots(caller, params.dashboardId), query),
  }),
  POST: route({
    summary: "Create a snapshot of a dashboard",
    description: `Sends an image and a text summary by the channel of the snapshot, with the same log, retries and signatures as notifications. Uses cached data read with the owner's permissions. Requires permission to share. ${SCHEDULE_RULE}`,
    tag: "Dashboards",
    access: member,
    params,
    body: createSnapshotBody,
    keepsDigits: true,
    response: savedSnapshotSchema,
    status: 201,
    failures: ["not_found", "forbidden", "address_refused", "conflict"],
    refuses: { ...ADDRESS_REFUSALS, ...SNAPSHOT_REFUSALS },
    message: "Snapshot created",
    handle: ({ caller, params, body }) => createSnapshot(caller, params.dashboardId, body),
  }),
});
