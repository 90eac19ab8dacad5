import { route } from "@/lib/features/accounts/route";
import { operationParams as params } from "@/lib/features/apps/params";
import { getOperation } from "@/lib/features/apps/publish/deployments";
import { operationSchema } from "@/lib/features/apps/publish/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "How a publish or a rollback stands",
    description: "Its steps, what the build said, and why it failed. One whose server has died is failed.",
    tag: "Apps",
    access: member,
    params,
    response: operationSchema,
    failures: ["not_found"],
    handle: ({ caller, params: { appId, operationId } }) => getOperation(caller, appId, operationId),
  }),
});
