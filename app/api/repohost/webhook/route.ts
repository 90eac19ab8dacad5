import { route } from "@/lib/features/accounts/route";
import { receiveMessage } from "@/lib/features/linked-repositories/messages";
import { messageAnswer } from "@/lib/features/linked-repositories/schema";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "A message of the repository host",
    description:
      "For the host alone: signed by X-Hub-Signature-256 under GITHUB_WEBHOOK_SECRET. It only makes us look; the same one counts once.",
    tag: "Apps",
    access: open,
    bodyLimit: "chat",
    rawBody: { "application/json": null },
    response: messageAnswer,
    failures: ["not_found", "unauthenticated"],
    handle: ({ request }) => receiveMessage(request),
  }),
});
