import { route } from "@/lib/features/accounts/route";
import { putFeedback } from "@/lib/features/agent/chats";
import { feedbackBody } from "@/lib/features/agent/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  PUT: route({
    summary: "Say what an answer was worth",
    description: "A thumb and a word about an answer in a chat of your own; null takes it back.",
    tag: "Agent",
    access: member,
    params: pathIds("workspaceId", "chatId", "messageId"),
    body: feedbackBody,
    message: "Feedback kept",
    handle: ({ caller, params: { chatId, messageId }, body }) => putFeedback(caller, { chatId, messageId }, body),
  }),
});
