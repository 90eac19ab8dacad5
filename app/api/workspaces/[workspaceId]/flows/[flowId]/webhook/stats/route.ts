import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { webhookStatsSchema } from "@/lib/flows/schema";
import { webhookStats } from "@/lib/flows/webhook";
import { pathIds } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "What a webhook flow has received",
    tag: "Flows",
    access: member,
    params: pathIds("workspaceId", "flowId"),
    response: webhookStatsSchema,
    refuses: { flowId: "A flow of another type" },
    handle: ({ caller, params }) => webhookStats(caller, params.flowId),
  }),
});
