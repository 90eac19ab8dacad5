import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { listOperations } from "@/lib/features/apps/publish/deployments";
import { operationsPage } from "@/lib/features/apps/publish/schema";
import { member } from "@/lib/platform/access/rules";
import { listQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List what was published and rolled back of an app",
    description: "Newest first, of the last 30 days: what is under way, and what has failed since the last success.",
    tag: "Apps",
    access: member,
    params,
    query: listQuery,
    response: operationsPage,
    failures: ["not_found"],
    handle: ({ caller, params: { appId }, query }) => listOperations(caller, appId, query),
  }),
});
