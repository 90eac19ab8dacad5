import { z } from "zod";
import { account } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { endOtherSessions, listSessions } from "@/lib/auth/own-sessions";
import { endedSessionsSchema, sessionSchema } from "@/lib/auth/schema";
import { asArray } from "@/lib/http/paging";
import { listQuery } from "@/lib/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List your sessions",
    description: "Where you are signed in, the newest first.",
    tag: "Account",
    access: account,
    query: listQuery,
    response: z.array(sessionSchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listSessions(caller, query)),
  }),
  DELETE: route({
    summary: "End your other sessions",
    description: "The one that asks stays.",
    tag: "Account",
    access: account,
    response: endedSessionsSchema,
    message: "Other sessions ended",
    handle: async ({ caller }) => ({ ended: await endOtherSessions(caller) }),
  }),
});
