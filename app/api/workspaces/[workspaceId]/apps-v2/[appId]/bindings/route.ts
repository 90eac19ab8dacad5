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
    summary: "List the bindings of an app",
    description:
      "The files of `bindings/` as you have them, your draft included, each with what its front matter says and how its rows stand. One that cannot be read has the state `error` and the reason. Nothing is read from a source for it.",
    tag: "Apps",
    access: member,
    params,
    query: boundedListQuery,
    response: z.array(bindingSchema),
    handle: async ({ caller, params: { appId }, query, headers }) =>
      partOf(headers, await listBindings(caller, appId), query),
  }),
});
