import { route } from "@/lib/features/accounts/route";
import { listAppHistory } from "@/lib/features/apps/commits";
import { appParams as params } from "@/lib/features/apps/params";
import { appCommitSchema } from "@/lib/features/apps/schema";
import { member } from "@/lib/platform/access/rules";
import { opaqueListQuery, pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List app commits",
    description:
      "Returns commits newest first, from your branch or from main if your branch has no changes to the app.",
    tag: "Apps",
    access: member,
    params,
    query: opaqueListQuery,
    refuses: { cursor: "An invalid cursor" },
    response: pageOf(appCommitSchema),
    handle: ({ caller, params: { appId }, query }) => listAppHistory(caller, appId, query),
  }),
});
