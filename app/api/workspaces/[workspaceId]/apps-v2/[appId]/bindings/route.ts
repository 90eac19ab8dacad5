import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { bindingSchema } from "@/lib/features/apps/bindings/schema";
import { listBindings } from "@/lib/features/apps/bindings/work";
import { appParams as params } from "@/lib/features/apps/params";
import { member } from "@/lib/platform/access/rules";
import { partOf } from "@/lib/platform/http/paging";
import { boundedListQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List bindings",
    description:
      "Returns the files in `bindings/`, including your draft, with front matter and row status. Invalid files have state `error` and a reason. Does not query any source.",
    tag: "Apps",
    access: member,
    params,
    query: boundedListQuery,
    response: z.array(bindingSchema),
    handle: async ({ caller, params: { appId }, query, headers }) =>
      partOf(headers, await listBindings(caller, appId), query),
  }),
});
