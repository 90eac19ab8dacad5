import { route } from "@/lib/features/accounts/route";
import { provisionBody, provisionedSchema } from "@/lib/features/flows/schema";
import { provisionWebhook } from "@/lib/features/flows/webhook";
import { admin } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Open the address of a webhook flow",
    description:
      "The secret is shown this once. Done again, it gives a new address and a new secret, and the ones before end at once.",
    tag: "Flows",
    access: admin,
    params: pathIds("workspaceId", "flowId"),
    body: provisionBody,
    response: provisionedSchema,
    status: 201,
    refuses: { flowId: "A flow of another type" },
    message: "Webhook opened",
    handle: ({ caller, params, body }) => provisionWebhook(caller, params.flowId, body),
  }),
});
