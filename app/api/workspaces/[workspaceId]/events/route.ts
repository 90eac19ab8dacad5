import { z } from "zod";
import { mayStill } from "@/lib/features/accounts/identity";
import { route } from "@/lib/features/accounts/route";
import { member } from "@/lib/platform/access/rules";
import { eventsQuery } from "@/lib/platform/events/schema";
import { streamEvents } from "@/lib/platform/events/stream";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Stream workspace events",
    description:
      "Streams changes as Server-Sent Events. `event` is run, log, delivery, console, dashboard, app, plan, execution, presence or push; `data` has `resourceType`, `resourceId`, `at` and fields per type. Reconnect with `Last-Event-ID` to resume. Events are kept for one hour: after `event: reset`, reload everything. `event: error` ends the stream when the server stops or access is revoked.",
    tag: "Workspaces",
    access: member,
    params: pathIds("workspaceId"),
    query: eventsQuery,
    outside: { 200: { "text/event-stream": z.looseObject({ data: z.string() }).describe("Each event") } },
    failures: ["rate_limited"],
    handle: ({ caller: { workspaceId, user }, query, request, signal }) =>
      streamEvents({
        workspaceId,
        userId: user._id,
        hasHeartbeat: query.heartbeat === "true",
        lastEventId: request.headers.get("last-event-id"),
        mayStillRead: () => mayStill(request.headers, member, workspaceId),
        signal,
      }),
  }),
});
