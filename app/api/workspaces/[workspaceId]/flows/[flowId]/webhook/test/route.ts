import { route } from "@/lib/features/accounts/route";
import { inboundAnswer } from "@/lib/features/flows/schema";
import { sendTestEvent } from "@/lib/features/flows/webhook";
import { admin } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Send a test event to a webhook flow",
    description:
      "A signed event, of the first type that the webhook takes, comes in by its own address and is written as any other is: a row whose payload has `test: true`.",
    tag: "Flows",
    access: admin,
    params: pathIds("workspaceId", "flowId"),
    response: inboundAnswer,
    status: 202,
    refuses: { flowId: "A flow of another type, or one whose address is not open" },
    failures: ["rate_limited"],
    handle: ({ caller, params }) => sendTestEvent(caller, params.flowId),
  }),
});
