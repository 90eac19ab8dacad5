import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { connectionTypeSchema } from "@/lib/features/connections/schema";
import { listConnectionTypes } from "@/lib/features/connections/service";
import { anyCredential } from "@/lib/platform/access/rules";
import { partOf } from "@/lib/platform/http/paging";
import { boundedListQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List connection types",
    description: "Returns each type with its form fields, which are also its config keys.",
    tag: "Connections",
    access: anyCredential,
    query: boundedListQuery,
    response: z.array(connectionTypeSchema),
    handle: ({ query, headers }) => partOf(headers, listConnectionTypes(), query),
  }),
});
