import { route } from "@/lib/features/accounts/route";
import { putFeedback } from "@/lib/features/agent/chats";
import { feedbackBody } from "@/lib/features/agent/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  PUT: route({
    summary: "Rate an answer",
    description: "Stores a thumbs up or down and a comment for an answer in your chat. null removes it.",
    tag: "Agent",
    access: member,
    params: pathIds("workspaceId", "chatId", "messageId"),
    body: feedbackBody,
    message: "Feedback saved",
    handle: ({ caller, params: { chatId, messageId }, body }) => putFeedback(caller, { chatId, messageId }, body),
  }),
});
