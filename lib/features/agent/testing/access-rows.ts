import { randomUUID } from "node:crypto";
import { type AccessRows, ADMIN, CREATED_BY_MEMBER, MEMBER } from "@/test/access-rows";
import { call } from "@/test/client";
import type { Person, World } from "@/test/seed";
import { ask, newId } from "./ask";

const ANY_CREDENTIAL = "401 401 200 200 200 200 200 200 401 200 200";
/** A chat of the owner's: nobody else sees it, whatever their role. */
const CHAT_OWNER = "401 401 404 404 200 200 404 403 401 403 403";

let seeded: Awaited<ReturnType<typeof seed>>;

async function seed({ workspaceId, otherWorkspaceId, people }: World) {
  return { ours: await seedChat(workspaceId, people.owner), theirs: await seedChat(otherWorkspaceId, people.stranger) };
}

async function seedChat(workspaceId: string, { cookie }: Person) {
  const [chatId, spareChatId] = [newId(), newId()];
  for (const id of [chatId, spareChatId]) await ask("Hello", { cookie, workspaceId, chatId: id });
  const chat = await call("GET", `/api/workspaces/${workspaceId}/chats/${chatId}`, { cookie });
  return { chatId, spareChatId, messageId: chat.json.data.messages[1].id as string };
}

export const agentAccess: AccessRows = {
  async seed(world) {
    seeded = await seed(world);
  },
  ids: { chatId: () => seeded.ours.chatId, messageId: () => seeded.ours.messageId },
  foreignIds: { chatId: () => seeded.theirs.chatId, messageId: () => seeded.theirs.messageId },
  rows: {
    "POST /api/agent/chat": {
      statuses: "401 401 200 200 200 200 200 403 401 403 403",
      body: ({ workspaceId }) => ({
        workspaceId,
        chatId: newId(),
        messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "Hello" }] }],
      }),
    },
    "GET /api/agent/models": { statuses: ANY_CREDENTIAL },
    "GET /api/agent/agents": { statuses: ANY_CREDENTIAL },
    // No plan of theirs has this id.
    "POST /api/agent/plan-decision": {
      statuses: ANY_CREDENTIAL.replaceAll("200", "404"),
      body: () => ({ agentSessionId: randomUUID(), decision: "approve" }),
    },
    // Keys alone; a cookie is nobody here.
    "POST /api/mcp": {
      statuses: "401 401 401 401 401 200 200 401 401 401 200",
      // A list of messages: one by itself takes no field that the protocol does not know.
      body: () => [{ jsonrpc: "2.0", id: 1, method: "tools/list" }],
      headers: { accept: "application/json, text/event-stream" },
    },
    "GET /api/workspaces/{workspaceId}/agent/instructions": { statuses: MEMBER },
    "PUT /api/workspaces/{workspaceId}/agent/instructions": {
      statuses: ADMIN,
      body: () => ({ text: "Amounts are in cents." }),
    },
    "GET /api/workspaces/{workspaceId}/chats": { statuses: MEMBER },
    "POST /api/workspaces/{workspaceId}/chats": { statuses: CREATED_BY_MEMBER, body: () => ({ title: "Revenue" }) },
    "GET /api/workspaces/{workspaceId}/chats/{chatId}": { statuses: CHAT_OWNER },
    "PUT /api/workspaces/{workspaceId}/chats/{chatId}": { statuses: CHAT_OWNER, body: () => ({ title: "Orders" }) },
    "PUT /api/workspaces/{workspaceId}/chats/{chatId}/messages/{messageId}/feedback": {
      statuses: CHAT_OWNER,
      body: () => ({ value: "up" }),
    },
    // No tool has kept one here; lib/features/agent/chat.int.test.ts opens one.
    "GET /api/workspaces/{workspaceId}/chats/{chatId}/results/{resultId}": {
      statuses: CHAT_OWNER.replaceAll("200", "404"),
    },
    "DELETE /api/workspaces/{workspaceId}/chats/{chatId}": {
      // The owner does; for their key it is gone.
      statuses: CHAT_OWNER.replace("200 200", "200 404"),
      ids: () => ({ chatId: seeded.ours.spareChatId }),
    },
  },
};
