import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { CONFIG_REFUSALS, createConnectionRequest } from "@/lib/features/connections/reference";
import { connectionSchema } from "@/lib/features/connections/schema";
import { createConnection, listConnections } from "@/lib/features/connections/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";
import { listQuery } from "@/lib/platform/http/schema";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List connections",
    description: "Returns connections oldest first. Secrets are never returned; a saved secret is {set: true}.",
    tag: "Connections",
    access: member,
    params,
    query: listQuery,
    response: z.array(connectionSchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listConnections(caller, query)),
  }),
  POST: route({
    summary: "Create a connection",
    description: "Encrypts secrets before storing them. Read-only by default.",
    tag: "Connections",
    access: member,
    params,
    body: createConnectionRequest,
    response: connectionSchema,
    failures: ["address_refused", "conflict"],
    refuses: CONFIG_REFUSALS,
    status: 201,
    message: "Connection created",
    handle: ({ caller, body }) => createConnection(caller, body),
  }),
});
