import { route } from "@/lib/features/accounts/route";
import { chatResultResponse } from "@/lib/features/agent/chats";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a chat result",
    description:
      "Returns the stored rows of a tool call as an Arrow stream: up to 10,000 rows and 16 MiB. Results are kept for 30 days.",
    tag: "Agent",
    access: member,
    params: pathIds("workspaceId", "chatId", "resultId"),
    outside: { 200: { "application/vnd.apache.arrow.stream": null } },
    handle: ({ caller, params: { chatId, resultId } }) => chatResultResponse(caller, { chatId, resultId }),
  }),
});
