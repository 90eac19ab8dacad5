import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { operationParams as params } from "@/lib/apps/params";
import { getOperation } from "@/lib/apps/publish/deployments";
import { operationSchema } from "@/lib/apps/publish/schema";

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
