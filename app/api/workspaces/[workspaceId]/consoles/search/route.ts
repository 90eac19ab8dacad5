import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { searchHitSchema, searchQuery } from "@/lib/consoles/schema";
import { searchConsoles } from "@/lib/consoles/search";
import { pathIds } from "@/lib/http/ids";
import { partOf } from "@/lib/http/paging";
import { boundedListQuery } from "@/lib/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Search consoles",
    description: "By words of their paths and texts, best first, at most 50.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId"),
    query: searchQuery.extend(boundedListQuery.shape),
    response: z.array(searchHitSchema),
    handle: async ({ caller, query, headers }) => partOf(headers, await searchConsoles(caller, query.q), query),
  }),
});
