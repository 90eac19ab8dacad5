import { z } from "zod";
import { anyCredential, member } from "@/lib/access/rules";
import { CHAT_REFUSALS, TURN_FAILURES } from "@/lib/agent/reference";
import { chatBody, chatQuery } from "@/lib/agent/schema";
import { startTurn } from "@/lib/agent/turn";
import { wireFormOf } from "@/lib/agent/wire";
import { route } from "@/lib/api/route";
import { mayStill } from "@/lib/auth/identity";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Ask the agent",
    description:
      "Sends a message and answers with Server-Sent Events: `start`, `text-delta`, `tool-input-available`, `tool-result`, `error`, `finish`, one JSON object a line, and `[DONE]` at the end. With the header `x-vercel-ai-ui-message-stream: v1`, or `stream=ui`, the chunks are the ai SDK's own. A new chatId begins a chat. The chat's stored messages are what counts: of those that are sent, the last one is appended and the others are not read. A reader who leaves stops the model and its queries; the answer is kept as far as it came.",
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
