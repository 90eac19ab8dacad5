import { route } from "@/lib/features/accounts/route";
import { chatResultResponse } from "@/lib/features/agent/chats";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Open a result of a chat",
    description:
      "The rows that a tool of the chat has kept, as Arrow's stream format: the first 10,000, 16 MiB at the most, for 30 days.",
    tag: "Agent",
    access: member,
    params: pathIds("workspaceId", "chatId", "resultId"),
    outside: { 200: { "application/vnd.apache.arrow.stream": null } },
    handle: ({ caller, params: { chatId, resultId } }) => chatResultResponse(caller, { chatId, resultId }),
  }),
});
