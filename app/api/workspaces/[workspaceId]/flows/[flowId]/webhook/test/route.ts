import { route } from "@/lib/features/accounts/route";
import { inboundAnswer } from "@/lib/features/flows/schema";
import { sendTestEvent } from "@/lib/features/flows/webhook";
import { admin } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Send a test event",
    description:
      "Sends a signed event of the first accepted type to the endpoint. It is written like any other, with `test: true` in its payload.",
    tag: "Flows",
    access: admin,
    params: pathIds("workspaceId", "flowId"),
    response: inboundAnswer,
    status: 202,
    refuses: { flowId: "Not a webhook flow, or a flow without an endpoint URL" },
    failures: ["rate_limited"],
    handle: ({ caller, params }) => sendTestEvent(caller, params.flowId),
  }),
});
