import { z } from "zod";
import { mayStill } from "@/lib/features/accounts/identity";
import { route } from "@/lib/features/accounts/route";
import { member } from "@/lib/platform/access/rules";
import { eventsQuery } from "@/lib/platform/events/schema";
import { streamEvents } from "@/lib/platform/events/stream";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Live updates",
    description:
      "What changes in the workspace, as Server-Sent Events: `event` is run, log, delivery, console, dashboard, app, plan, execution or presence, `data` holds `resourceType`, `resourceId` and `at`, and more by kind. A reader that comes back with `Last-Event-ID` goes on where it was; `event: reset` says that what lies between is not kept any more (an hour is), and everything is to be read anew. The stream ends with `event: error` when the server stops or the access has ended.",
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
