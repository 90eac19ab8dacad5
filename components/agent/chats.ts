import { Chat, DefaultChatTransport, type UIMessage } from "@/components/agent/sdk";
import { announce } from "@/components/ui/live-region";
import { fetchStream } from "@/lib/features/agent/browser/client";
import type { ChatMessage, Feedback } from "@/lib/features/agent/schema";

export type MessageFacts = { state?: ChatMessage["state"]; feedback?: Feedback | null; isStored?: boolean };
export type AgentMessage = UIMessage<MessageFacts>;
export type AgentPart = AgentMessage["parts"][number];
/**
 * Returns the context of a message: the content of the screen and the chosen model. Called when the message is sent.
 */
export type TurnContext = () => object;

/** Maximum number of chats kept in the page: an answer continues while the user views another chat. */
const KEPT_MAX = 8;

/** The chats of this page by id. They outlive the panel: a running answer continues while the panel is closed. */
const chats = new Map<string, { chat: Chat<AgentMessage>; context: { current: TurnContext } }>();

/** Returns the chat with this id. A new one is empty until the server's record is merged in. */
export function openChat(id: string, context: TurnContext): { chat: Chat<AgentMessage>; isNew: boolean } {
  const known = chats.get(id);
  if (known) {
    known.context.current = context;
    return { chat: known.chat, isNew: false };
  }
  for (const [oldId, { chat }] of chats) {
    if (chats.size < KEPT_MAX) break;
    if (chat.status === "ready" || chat.status === "error") chats.delete(oldId);
  }
  const held = { current: context };
  const chat: Chat<AgentMessage> = new Chat<AgentMessage>({
    id,
    transport: new DefaultChatTransport<AgentMessage>({
      api: "/api/agent/chat",
      headers: { "x-vercel-ai-ui-message-stream": "v1" },
      fetch: fetchStream as typeof fetch,
      // The server has the earlier messages, and reads only the last one.
      prepareSendMessagesRequest: ({ messages, body }) => ({
        body: { ...held.current(), ...body, chatId: id, messages: messages.slice(-1).map(withoutFacts) },
      }),
    }),
    onFinish: ({ message, isAbort, isError }) => {
      if (isAbort) chat.messages = chat.messages.map((each) => (each.id === message.id ? asStopped(each) : each));
      if (isError) announce("The agent couldn't answer. Try again.", true);
      else announce(isAbort ? "Answer stopped" : "Answer ready");
    },
  });
  chats.set(id, { chat, context: held });
  return { chat, isNew: true };
}

export function forgetChat(id: string): void {
  void chats.get(id)?.chat.stop();
  chats.delete(id);
}

export function toAgentMessage({ id, role, parts, state, feedback }: ChatMessage): AgentMessage {
  return { id, role, parts: parts as AgentPart[], metadata: { state, feedback, isStored: true } };
}

function asStopped(message: AgentMessage): AgentMessage {
  return message.role === "assistant" ? { ...message, metadata: { ...message.metadata, state: "stopped" } } : message;
}

function withoutFacts({ id, role, parts }: AgentMessage) {
  return { id, role, parts };
}

/** Returns the messages that the page holds of a chat. */
export function openedMessages(id: string): readonly AgentMessage[] {
  return chats.get(id)?.chat.messages ?? [];
}
