import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { CONFIG_REFUSALS, createConnectionRequest } from "@/lib/features/connections/reference";
import { connectionListQuery, connectionSchema, listedConnectionSchema } from "@/lib/features/connections/schema";
import { createConnection, listConnections } from "@/lib/features/connections/service";
import { withUses } from "@/lib/features/instance/in-use";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List connections",
    description:
      "Returns connections oldest first. Secrets are never returned; a saved secret is {set: true}. With uses=true, each has the number of consoles and flows that use it.",
    tag: "Connections",
    access: member,
    params,
    query: connectionListQuery,
    response: z.array(listedConnectionSchema),
    handle: async ({ caller, query: { uses, ...page }, headers }) => {
      const found = asArray(headers, await listConnections(caller, page));
      return uses === "true" ? withUses(caller, found) : found;
    },
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
