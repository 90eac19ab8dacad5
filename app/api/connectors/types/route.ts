import { z } from "zod";
import { anyCredential } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { connectionTypeSchema } from "@/lib/connections/schema";
import { listConnectionTypes } from "@/lib/connections/service";
import { partOf } from "@/lib/http/paging";
import { boundedListQuery } from "@/lib/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List the types of connections",
    description: "Each with the fields of its form, which are also what its config may hold.",
    tag: "Connections",
    access: anyCredential,
    query: boundedListQuery,
    response: z.array(connectionTypeSchema),
    handle: ({ query, headers }) => partOf(headers, listConnectionTypes(), query),
  }),
});
