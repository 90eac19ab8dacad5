import { z } from "zod";
import { member } from "@/lib/auth/access";
import { connectionSchema } from "@/lib/connections/schema";
import { listConnections } from "@/lib/connections/service";
import { objectId } from "@/lib/http/ids";
import { route } from "@/lib/http/route";
import { listQuery } from "@/lib/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List connections",
    description: "Oldest first. Secrets never come back: a secret that is set shows as {set: true}.",
    tag: "Connections",
    access: member,
    params: z.object({ workspaceId: objectId }),
    query: listQuery,
    response: z.array(connectionSchema),
    handle: ({ params, query }) => listConnections(params.workspaceId, query.limit),
  }),
});
