import { route } from "@/lib/features/accounts/route";
import { deleteChat, getChat, renameChat } from "@/lib/features/agent/chats";
import { chatDetailSchema, chatSchema, updateChatBody } from "@/lib/features/agent/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { noteNextCursor } from "@/lib/platform/http/paging";
import { innerListQuery } from "@/lib/platform/http/schema";

const params = pathIds("workspaceId", "chatId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a chat",
    description:
      "Returns the newest messages, up to 200 and 32 MiB. Use X-Next-Cursor for older ones. Returns 404 for another member's chat.",
    tag: "Agent",
    access: member,
    params,
    query: innerListQuery,
    response: chatDetailSchema,
    handle: async ({ caller, params: { chatId }, query, headers }) => {
      const { chat, nextCursor } = await getChat(caller, chatId, query);
      noteNextCursor(headers, nextCursor);
      return chat;
    },
  }),
  PUT: route({
    summary: "Rename a chat",
    tag: "Agent",
    access: member,
    params,
    body: updateChatBody,
    response: chatSchema,
    message: "Chat renamed",
    handle: ({ caller, params: { chatId }, body }) => renameChat(caller, chatId, body.title),
  }),
  DELETE: route({
    summary: "Delete a chat",
    description: "Deletes its messages, plans and stored results.",
    tag: "Agent",
    access: member,
    params,
    message: "Chat deleted",
    handle: async ({ caller, params: { chatId } }) => {
      await deleteChat(caller, chatId);
      return null;
    },
  }),
});
