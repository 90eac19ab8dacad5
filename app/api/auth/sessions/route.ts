import { z } from "zod";
import { endOtherSessions, listSessions } from "@/lib/features/accounts/own-sessions";
import { route } from "@/lib/features/accounts/route";
import { endedSessionsSchema, sessionSchema } from "@/lib/features/accounts/schema";
import { account } from "@/lib/platform/access/rules";
import { asArray } from "@/lib/platform/http/paging";
import { listQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List your sessions",
    description: "Returns your active sessions, newest first.",
    tag: "Account",
    access: account,
    query: listQuery,
    response: z.array(sessionSchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listSessions(caller, query)),
  }),
  DELETE: route({
    summary: "End your other sessions",
    description: "Keeps the current session.",
    tag: "Account",
    access: account,
    response: endedSessionsSchema,
    message: "Other sessions ended",
    handle: async ({ caller }) => ({ ended: await endOtherSessions(caller) }),
  }),
});
