import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { discardDrafts } from "@/lib/apps/commits";
import { appParams as params } from "@/lib/apps/params";
import { FILE_REFUSALS } from "@/lib/apps/reference";
import { discardQuery } from "@/lib/apps/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Discard your draft of an app",
    description: "All of it, or that of one file. Nothing brings it back.",
    tag: "Apps",
    access: member,
    params,
    query: discardQuery,
    refuses: FILE_REFUSALS,
    message: "Draft discarded",
    handle: ({ caller, params: { appId }, query }) => discardDrafts(caller, appId, query.path),
  }),
});
