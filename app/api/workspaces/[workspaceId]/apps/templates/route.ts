import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { templateSchema } from "@/lib/apps/schema";
import { listTemplates } from "@/lib/apps/templates";
import { pathIds } from "@/lib/http/ids";
import { partOf } from "@/lib/http/paging";
import { boundedListQuery } from "@/lib/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List what apps can begin with",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    query: boundedListQuery,
    response: z.array(templateSchema),
    handle: async ({ query, headers }) => partOf(headers, await listTemplates(), query),
  }),
});
