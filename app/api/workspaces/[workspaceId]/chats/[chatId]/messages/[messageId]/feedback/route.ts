import { member } from "@/lib/access/rules";
import { putFeedback } from "@/lib/agent/chats";
import { feedbackBody } from "@/lib/agent/schema";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";

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
