import { route } from "@/lib/features/accounts/route";
import { provisionBody, provisionedSchema } from "@/lib/features/flows/schema";
import { provisionWebhook } from "@/lib/features/flows/webhook";
import { admin } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Create an endpoint URL",
    description:
      "Creates the URL and its signing secret, and returns the secret once. Calling it again rotates both; the old ones stop working immediately.",
    tag: "Flows",
    access: admin,
    params: pathIds("workspaceId", "flowId"),
    body: provisionBody,
    response: provisionedSchema,
    status: 201,
    refuses: { flowId: "Not a webhook flow" },
    message: "Endpoint URL created",
    handle: ({ caller, params, body }) => provisionWebhook(caller, params.flowId, body),
  }),
});
