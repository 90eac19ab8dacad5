import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { listDeployments } from "@/lib/features/apps/publish/deployments";
import { deploymentsPage } from "@/lib/features/apps/publish/schema";
import { member } from "@/lib/platform/access/rules";
import { listQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List published versions",
    description: "Returns the last 50 published versions that you can roll back to, newest first.",
    tag: "Apps",
    access: member,
    params,
    query: listQuery,
    response: deploymentsPage,
    failures: ["not_found"],
    handle: ({ caller, params: { appId }, query }) => listDeployments(caller, appId, query),
  }),
});
