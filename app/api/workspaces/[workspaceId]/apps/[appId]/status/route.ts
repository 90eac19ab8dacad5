import { route } from "@/lib/features/accounts/route";
import { getStatus } from "@/lib/features/apps/commits";
import { appParams as params } from "@/lib/features/apps/params";
import { statusQuery, statusSchema } from "@/lib/features/apps/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Read how your work on an app stands",
    description:
      "While your sandbox runs: its working copy against the last commit of your branch. Else, and with live=false, that commit against main, as offline. The files of your draft stand beside it. It starts no sandbox.",
    tag: "Apps",
    access: member,
    params,
    query: statusQuery,
    response: statusSchema,
    handle: ({ caller, params: { appId }, query: { live } }) => getStatus(caller, appId, live !== "false"),
  }),
});
