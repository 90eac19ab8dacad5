import { route } from "@/lib/features/accounts/route";
import { discardDrafts } from "@/lib/features/apps/commits";
import { appParams as params } from "@/lib/features/apps/params";
import { FILE_REFUSALS } from "@/lib/features/apps/reference";
import { discardQuery } from "@/lib/features/apps/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Discard an app draft",
    description: "Discards the whole draft or one file. This can't be undone.",
    tag: "Apps",
    access: member,
    params,
    query: discardQuery,
    refuses: FILE_REFUSALS,
    message: "Draft discarded",
    handle: ({ caller, params: { appId }, query }) => discardDrafts(caller, appId, query.path),
  }),
});
