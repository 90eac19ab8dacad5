import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { connectionUseSchema } from "@/lib/connections/schema";
import { listConnectionUses } from "@/lib/connections/service";
import { pathIds } from "@/lib/http/ids";
import { partOf } from "@/lib/http/paging";
import { boundedListQuery } from "@/lib/http/schema";
import { listUses } from "@/lib/lifecycle/in-use";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List what uses a connection",
    description:
      "What would stop working without it: the same that in_use names when it is deleted; 200 of a kind at the most.",
    tag: "Connections",
    access: member,
    params: pathIds("workspaceId", "connectionId"),
    query: boundedListQuery,
    response: z.array(connectionUseSchema),
    handle: async ({ caller, params, query, headers }) =>
      partOf(headers, await listConnectionUses(caller, params.connectionId, listUses), query),
  }),
});
