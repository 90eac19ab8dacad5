import { route } from "@/lib/features/accounts/route";
import { webhookStatsSchema } from "@/lib/features/flows/schema";
import { webhookStats } from "@/lib/features/flows/webhook";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get webhook statistics",
    tag: "Flows",
    access: member,
    params: pathIds("workspaceId", "flowId"),
    response: webhookStatsSchema,
    refuses: { flowId: "Not a webhook flow" },
    handle: ({ caller, params }) => webhookStats(caller, params.flowId),
  }),
});
