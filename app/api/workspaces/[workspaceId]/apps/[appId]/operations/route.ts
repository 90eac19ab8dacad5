import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { appParams as params } from "@/lib/apps/params";
import { listOperations } from "@/lib/apps/publish/deployments";
import { operationsPage } from "@/lib/apps/publish/schema";
import { listQuery } from "@/lib/http/schema";

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
