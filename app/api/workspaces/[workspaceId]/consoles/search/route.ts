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
    description:
      "Searches paths, descriptions and texts for consoles that contain every word, by the beginnings of words, and the 200 latest saves also for parts of words. Returns up to 50 consoles, best match first. A search whose every word is in hundreds of consoles ends after two seconds with what it has found, and the header X-Search-Incomplete is true.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId"),
    query: searchQuery.extend(boundedListQuery.shape),
    response: z.array(searchHitSchema),
    handle: async ({ caller, query, headers }) => {
      const { hits, isIncomplete } = await searchConsoles(caller, query.q);
      // An array has no place for it.
      if (isIncomplete) headers.set("X-Search-Incomplete", "true");
      return partOf(headers, hits, query);
    },
  }),
});
