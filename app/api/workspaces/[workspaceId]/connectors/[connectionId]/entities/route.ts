import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { entitiesQuery, entitySchema } from "@/lib/features/connections/schema";
import { listEntities } from "@/lib/features/connections/service";
import { SOURCE_FAILURES } from "@/lib/features/query/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { partOf } from "@/lib/platform/http/paging";
import { boundedListQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List tables",
    description: "Returns tables, views or collections with their columns. refresh=1 bypasses the schema cache.",
    tag: "Connections",
    access: member,
    params: pathIds("workspaceId", "connectionId"),
    query: entitiesQuery.extend(boundedListQuery.shape),
    response: z.array(entitySchema),
    failures: SOURCE_FAILURES,
    handle: async ({ caller, params, query, signal, headers }) => {
      const entities = await listEntities(caller, params.connectionId, { refresh: query.refresh === "1", signal });
      const shown = entities.map(({ rowId: _, ...entity }) => entity);
      return partOf(headers, shown, query);
    },
  }),
});
