import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { receiveEvent } from "@/lib/features/flows/inbound";
import { inboundAnswer, webhookToken } from "@/lib/features/flows/schema";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Send an event to a flow",
    description:
      "One JSON value of 1 MiB at the most, signed as Standard Webhooks has it (webhook-id, webhook-timestamp, webhook-signature) or by X-Service-Signature, the hex HMAC-SHA256 of the body under the whole secret. It is stored when this answers 202. An id (webhook-id, else the body's `id`) that came within seven days is acknowledged and dropped.",
    tag: "Flows",
    access: open,
    params: z.object({ token: webhookToken }),
    rawBody: { "application/json": null },
    response: inboundAnswer,
    status: 202,
    failures: ["not_found", "unauthenticated", "unsupported_media_type", "rate_limited"],
    handle: ({ params, request }) => receiveEvent(params.token, request),
  }),
});
