import { z } from "zod";
import { connectedAppSchema } from "@/lib/features/accounts/connected-apps/schema";
import { listConnectedApps } from "@/lib/features/accounts/connected-apps/service";
import { route } from "@/lib/features/accounts/route";
import { member, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";
import { listQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List connected apps",
    description: "Returns clients with access over MCP, newest first. Admins see everyone's, members their own.",
    tag: "OAuth",
    access: peopleOnly(member),
    params: pathIds("workspaceId"),
    query: listQuery,
    response: z.array(connectedAppSchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listConnectedApps(caller, query)),
  }),
});
