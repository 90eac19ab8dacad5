import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { entitiesQuery, entitySchema } from "@/lib/connections/schema";
import { listEntities } from "@/lib/connections/service";
import { pathIds } from "@/lib/http/ids";
import { SOURCE_FAILURES } from "@/lib/query/reference";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List what a connection holds",
    description: "Tables, views or collections, with their columns. refresh=1 reads the schema anew.",
    tag: "Connections",
    access: member,
    params: pathIds("workspaceId", "connectionId"),
    query: entitiesQuery,
    response: z.array(entitySchema),
    failures: SOURCE_FAILURES,
    handle: async ({ caller, params, query, signal }) => {
      const entities = await listEntities(caller, params.connectionId, { refresh: query.refresh === "1", signal });
      return entities.map(({ rowId: _, ...entity }) => entity);
    },
  }),
});
