import { Chat, DefaultChatTransport, type UIMessage } from "@/components/agent/sdk";
import { announce } from "@/components/ui/live-region";
import { type ChatMessage, type Feedback, fetchStream } from "@/lib/features/agent/browser/client";

export type MessageFacts = { state?: ChatMessage["state"]; feedback?: Feedback | null; isStored?: boolean };
export type AgentMessage = UIMessage<MessageFacts>;
export type AgentPart = AgentMessage["parts"][number];
/** What goes with a message: what is on the screen, and who is asked. Read when the message leaves. */
export type TurnContext = () => object;

/** Chats that stay in the page: an answer goes on while another chat is looked at. */
const KEPT_MAX = 8;

/** The chats of this page by their ids. They outlive the panel: what is under way goes on while it is put away. */
const chats = new Map<string, { chat: Chat<AgentMessage>; context: { current: TurnContext } }>();

/** The chat of this id; a new one is empty until what the server has of it is put in. */
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
      // The server has its own record of the rest, and reads nothing else.
      prepareSendMessagesRequest: ({ messages, body }) => ({
        body: { ...held.current(), ...body, chatId: id, messages: messages.slice(-1).map(withoutFacts) },
      }),
    }),
    onFinish: ({ message, isAbort, isError }) => {
      if (isAbort) chat.messages = chat.messages.map((each) => (each.id === message.id ? asStopped(each) : each));
      if (isError) announce("The agent could not answer.", true);
      else announce(isAbort ? "The answer is stopped" : "The agent has answered");
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

/** What the chat of this id holds so far. */
export function openedMessages(id: string): readonly AgentMessage[] {
  return chats.get(id)?.chat.messages ?? [];
}
