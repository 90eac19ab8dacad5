import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { listOperations } from "@/lib/features/apps/publish/deployments";
import { operationsPage } from "@/lib/features/apps/publish/schema";
import { member } from "@/lib/platform/access/rules";
import { listQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List publish and rollback operations",
    description: "Returns running operations, and failed ones since the last success, newest first, for 30 days.",
    tag: "Apps",
    access: member,
    params,
    query: listQuery,
    response: operationsPage,
    failures: ["not_found"],
    handle: ({ caller, params: { appId }, query }) => listOperations(caller, appId, query),
  }),
});
