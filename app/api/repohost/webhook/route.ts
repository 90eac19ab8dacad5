import { route } from "@/lib/features/accounts/route";
import { receiveMessage } from "@/lib/features/linked-repositories/messages";
import { messageAnswer } from "@/lib/features/linked-repositories/schema";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Receive a repository host webhook",
    description:
      "Verifies X-Hub-Signature-256 with GITHUB_WEBHOOK_SECRET and schedules a sync. Duplicates are ignored.",
    tag: "Apps",
    access: open,
    bodyLimit: "chat",
    rawBody: { "application/json": null },
    response: messageAnswer,
    failures: ["not_found", "unauthenticated"],
    handle: ({ request }) => receiveMessage(request),
  }),
});
