import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { receiveEvent } from "@/lib/features/flows/inbound";
import { inboundAnswer, webhookToken } from "@/lib/features/flows/schema";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Send an event to a flow",
    description:
      "Accepts one JSON value up to 1 MiB. Sign it with Standard Webhooks headers, or with X-Service-Signature: the hex HMAC-SHA256 of the body under the full secret. 202 means the event is stored. Events with an ID (webhook-id, or `id` in the body) seen in the last seven days are acknowledged and dropped.",
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
