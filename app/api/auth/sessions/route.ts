import { z } from "zod";
import { account } from "@/lib/auth/access";
import { sessionIdOf } from "@/lib/auth/identity";
import { listSessions } from "@/lib/auth/own-sessions";
import { sessionSchema } from "@/lib/auth/schema";
import { route } from "@/lib/http/route";
import { listQuery } from "@/lib/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List your sessions",
    description: "Where you are signed in, the newest first.",
    tag: "Account",
    access: account,
    query: listQuery,
    response: z.array(sessionSchema),
    handle: ({ principal, query }) => listSessions(principal.user._id, sessionIdOf(principal), query.limit),
  }),
});
