import type { AgentsAnswer, Chat, ChatDetail, Feedback, Instructions, ModelsAnswer, PlanAnswer, PlanDecisionBody } from "@/lib/features/agent/schema"; // biome-ignore format: one look at the whole list
import { lastOutage, reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import { sendPage } from "@/lib/platform/browser/lists";
import { ApiError, parseEnvelope, send, toApiError } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}`;
const after = (cursor: string | null) => (cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`);

/** Number of chats and messages in a page. */
const CHATS_PAGE = 100;
const MESSAGES_PAGE = 50;

/** The agent's API except for the turn itself. Each function throws ApiError. */
export const agentApi = {
  listModels: async (signal?: AbortSignal) => (await send<ModelsAnswer>("GET", "/api/agent/models", { signal })).models,
  listAgents: async (signal?: AbortSignal) => (await send<AgentsAnswer>("GET", "/api/agent/agents", { signal })).agents,
  /** The caller's own chats, newest first. */
  listChats: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<Chat>>("GET", `${root(workspaceId)}/chats?limit=${CHATS_PAGE}${after(cursor)}`, { signal }),
  /** A chat with its newest messages; a cursor leads to older ones. */
  readChat: (workspaceId: string, chatId: string, cursor: string | null, signal?: AbortSignal) =>
    sendPage<ChatDetail>(`${root(workspaceId)}/chats/${chatId}?limit=${MESSAGES_PAGE}${after(cursor)}`, { signal }),
  renameChat: (workspaceId: string, chatId: string, title: string) =>
    send<Chat>("PUT", `${root(workspaceId)}/chats/${chatId}`, { body: { title } }),
  removeChat: (workspaceId: string, chatId: string) => send<null>("DELETE", `${root(workspaceId)}/chats/${chatId}`),
  /** @param feedback null removes it */
  putFeedback: (workspaceId: string, chatId: string, messageId: string, feedback: Feedback | null) =>
    send<null>("PUT", `${root(workspaceId)}/chats/${chatId}/messages/${messageId}/feedback`, {
      body: feedback ?? { value: null },
    }),
  /** All stored rows of a tool's result, in Arrow's stream format. */
  readResult: async (workspaceId: string, chatId: string, resultId: string, signal?: AbortSignal) => {
    const response = await fetchStream(`${root(workspaceId)}/chats/${chatId}/results/${resultId}`, { signal });
    return new Uint8Array(await response.arrayBuffer());
  },
  decidePlan: (body: PlanDecisionBody) => send<PlanAnswer>("POST", "/api/agent/plan-decision", { body }),
  readInstructions: (workspaceId: string, signal?: AbortSignal) =>
    send<Instructions>("GET", `${root(workspaceId)}/agent/instructions`, { signal }),
  writeInstructions: (workspaceId: string, text: string) =>
    send<Instructions>("PUT", `${root(workspaceId)}/agent/instructions`, { body: { text } }),
};

/**
 * A `fetch` that passes the body on as it arrives, and throws the server's error message.
 * @throws ApiError for a response that is not a stream, and if there is none
 */
export async function fetchStream(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const sentAfter = lastOutage();
  let response: Response;
  try {
    response = await fetch(input, init);
  } catch (cause) {
    if (init?.signal?.aborted) throw cause;
    reportUnreachable();
    throw ApiError.unreachable();
  }
  reportReachable(sentAfter);
  if (response.ok) return response;
  throw toApiError(response.status, response.headers.get("retry-after"), parseEnvelope(await response.text()));
}
