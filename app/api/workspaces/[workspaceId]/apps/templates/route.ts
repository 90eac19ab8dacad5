import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { templateSchema } from "@/lib/features/apps/schema";
import { listTemplates } from "@/lib/features/apps/templates";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { partOf } from "@/lib/platform/http/paging";
import { boundedListQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List app templates",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    query: boundedListQuery,
    response: z.array(templateSchema),
    handle: async ({ query, headers }) => partOf(headers, await listTemplates(), query),
  }),
});
