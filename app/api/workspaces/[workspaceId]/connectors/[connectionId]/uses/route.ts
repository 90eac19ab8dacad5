import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { connectionUseSchema } from "@/lib/features/connections/schema";
import { listConnectionUses } from "@/lib/features/connections/service";
import { listUses } from "@/lib/features/instance/in-use";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { partOf } from "@/lib/platform/http/paging";
import { boundedListQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List resources that use a connection",
    description:
      "Returns the resources that would break without it, as listed in the in_use error. Up to 200 per type.",
    tag: "Connections",
    access: member,
    params: pathIds("workspaceId", "connectionId"),
    query: boundedListQuery,
    response: z.array(connectionUseSchema),
    handle: async ({ caller, params, query, headers }) =>
      partOf(headers, await listConnectionUses(caller, params.connectionId, listUses), query),
  }),
});
