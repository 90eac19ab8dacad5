import { route } from "@/lib/features/accounts/route";
import { getStatus } from "@/lib/features/apps/commits";
import { appParams as params } from "@/lib/features/apps/params";
import { statusQuery, statusSchema } from "@/lib/features/apps/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get your working status of an app",
    description:
      "Compares the sandbox's working copy with your branch while it runs. Otherwise, or with live=false, compares your branch with main. Also lists draft files. Does not start a sandbox.",
    tag: "Apps",
    access: member,
    params,
    query: statusQuery,
    response: statusSchema,
    handle: ({ caller, params: { appId }, query: { live } }) => getStatus(caller, appId, live !== "false"),
  }),
});
