import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { listSessions, openSession } from "@/lib/features/query/manual-sessions";
import { SESSION_FAILURES } from "@/lib/features/query/reference";
import { openSessionAnswer, openSessionBody, sessionSchema } from "@/lib/features/query/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { partOf } from "@/lib/platform/http/paging";
import { boundedListQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List sessions for manual transactions",
    description: "Returns the caller's open sessions on the connection, oldest first.",
    tag: "Queries",
    access: member,
    readsConnection: true,
    params: pathIds("workspaceId", "connectionId"),
    query: boundedListQuery,
    response: z.array(sessionSchema),
    failures: ["not_found"],
    handle: async ({ caller, connection, query, headers }) =>
      partOf(headers, await listSessions(caller, connection), query),
  }),
  POST: route({
    summary: "Open a session for manual transactions",
    description:
      "Opens a separate connection to the database. Send the sessionId with each query; BEGIN, COMMIT, ROLLBACK and SAVEPOINT run in it. It ends 10 minutes after its last statement, or 15 minutes with an open transaction, which is then rolled back. It also ends when its opener loses access or the connection changes. At most 5 per person.",
    tag: "Queries",
    access: member,
    readsConnection: true,
    params: pathIds("workspaceId", "connectionId"),
    body: openSessionBody,
    response: openSessionAnswer,
    status: 201,
    failures: SESSION_FAILURES,
    refuses: { isolation: "A level that the type does not list in isolationLevels" },
    handle: ({ caller, connection, body, signal }) => openSession(caller, connection, body, signal),
  }),
});
