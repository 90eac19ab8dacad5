import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { searchHitSchema, searchQuery } from "@/lib/features/consoles/schema";
import { searchConsoles } from "@/lib/features/consoles/search";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { partOf } from "@/lib/platform/http/paging";
import { boundedListQuery } from "@/lib/platform/http/schema";

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
