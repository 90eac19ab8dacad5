import { route } from "@/lib/features/accounts/route";
import { operationParams as params } from "@/lib/features/apps/params";
import { getOperation } from "@/lib/features/apps/publish/deployments";
import { operationSchema } from "@/lib/features/apps/publish/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a publish or rollback operation",
    description: "Returns its steps, build log and error. An operation whose server stopped is marked failed.",
    tag: "Apps",
    access: member,
    params,
    response: operationSchema,
    failures: ["not_found"],
    handle: ({ caller, params: { appId, operationId } }) => getOperation(caller, appId, operationId),
  }),
});
