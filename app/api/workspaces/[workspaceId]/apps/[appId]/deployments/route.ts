import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { appParams as params } from "@/lib/apps/params";
import { listDeployments } from "@/lib/apps/publish/deployments";
import { deploymentsPage } from "@/lib/apps/publish/schema";
import { listQuery } from "@/lib/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List the versions of an app",
    description: "Those that were published and can be shown again, newest first; the last 50.",
    tag: "Apps",
    access: member,
    params,
    query: listQuery,
    response: deploymentsPage,
    failures: ["not_found"],
    handle: ({ caller, params: { appId }, query }) => listDeployments(caller, appId, query),
  }),
});
