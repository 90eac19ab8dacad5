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
    summary: "To whom a dashboard is sent on a schedule",
    description: "At most 20, each with its last delivery; never a secret or an address.",
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
    summary: "Send a dashboard on a schedule",
    description: `A picture of it and its figures in words go out by mail, into a chat or to a webhook, with the log, the retries and the signatures of notifications. It is drawn of what is kept, read with its owner's rights; who may share it may send it. ${SCHEDULE_RULE}`,
    tag: "Dashboards",
    access: member,
    params,
    body: createSnapshotBody,
    keepsDigits: true,
    response: savedSnapshotSchema,
    status: 201,
    failures: ["not_found", "forbidden", "address_refused", "conflict"],
    refuses: { ...ADDRESS_REFUSALS, ...SNAPSHOT_REFUSALS },
    message: "Snapshot added",
    handle: ({ caller, params, body }) => createSnapshot(caller, params.dashboardId, body),
  }),
});
