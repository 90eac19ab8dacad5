import { route } from "@/lib/features/accounts/route";
import { createChat, listChats } from "@/lib/features/agent/chats";
import { chatSchema, createChatBody } from "@/lib/features/agent/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { listQuery, pageOf } from "@/lib/platform/http/schema";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List chats",
    description: "Returns your chats and those of your API keys, newest first.",
    tag: "Agent",
    access: member,
    params,
    query: listQuery,
    response: pageOf(chatSchema),
    handle: ({ caller, query }) => listChats(caller, query),
  }),
  POST: route({
    summary: "Create a chat",
    description: "Creates an empty chat. Optional: POST /api/agent/chat with a new chatId also creates one.",
    tag: "Agent",
    access: member,
    params,
    body: createChatBody,
    response: chatSchema,
    status: 201,
    message: "Chat created",
    handle: ({ caller, body }) => createChat(caller, body),
  }),
});
