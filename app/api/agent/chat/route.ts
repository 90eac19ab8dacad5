import { z } from "zod";
import { mayStill } from "@/lib/features/accounts/identity";
import { route } from "@/lib/features/accounts/route";
import { CHAT_REFUSALS, TURN_FAILURES } from "@/lib/features/agent/reference";
import { chatBody, chatQuery } from "@/lib/features/agent/schema";
import { startTurn } from "@/lib/features/agent/turn";
import { wireFormOf } from "@/lib/features/agent/wire";
import { anyCredential, member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Send a message",
    description:
      "Sends a message and streams Server-Sent Events: `start`, `text-delta`, `tool-input-available`, `tool-result`, `error` and `finish`, one JSON object per line, then `[DONE]`. With the header `x-vercel-ai-ui-message-stream: v1`, or `stream=ui`, the chunks are the ai SDK's own. A new chatId starts a chat. Only the last message is appended to the stored chat; the others are ignored. Disconnecting stops the model and its queries, and stores the partial answer.",
    tag: "Agent",
    access: anyCredential,
    query: chatQuery,
    body: chatBody,
    bodyLimit: "chat",
    outside: { 200: { "text/event-stream": z.looseObject({ data: z.string() }).describe("Each event") } },
    failures: TURN_FAILURES,
    refuses: CHAT_REFUSALS,
    handle: ({ caller, query, body, request, signal, needs }) => {
      needs(member, body.workspaceId);
      return startTurn(caller, {
        body,
        form: wireFormOf(request.headers, query.stream),
        mayGoOn: (workspaceId) => mayStill(request.headers, member, workspaceId),
        signal,
      });
    },
  }),
});
