"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowDown, CircleAlert, History, PanelRight, Plus, X } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { type AgentMessage, openChat, toAgentMessage } from "@/components/agent/chats";
import { Composer, type Outgoing } from "@/components/agent/composer";
import { MessageItem } from "@/components/agent/message-item";
import { useChat } from "@/components/agent/sdk";
import { Suggestions } from "@/components/agent/suggestions";
import { toChatKey, toChatsKey, useAgentChoices, useScreen } from "@/components/agent/use-agent";
import { toMessage } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { Tip } from "@/components/ui/tip";
import { useIsPhone } from "@/components/ui/use-browser";
import { Wheel } from "@/components/ui/wheel";
import type { AgentRequest } from "@/components/workspace/agent-store";
import { updateFrame } from "@/components/workspace/use-frame";
import { useWorkspace } from "@/components/workspace/workspace-context";
import { agentApi, type ChatDetail } from "@/lib/client/agent";
import { ApiError } from "@/lib/client/api";

/** What comes is drawn this often at the most: a fast model sends hundreds of pieces a second. */
const DRAW_EVERY_MS = 60;
/** So near to the end one follows what is written. */
const STICKY_PX = 40;

/** One chat with the agent: what was said, and the field for more. */
export function ChatView({ chatId }: { chatId: string }) {
  const { workspace, agent } = useWorkspace();
  const queryClient = useQueryClient();
  const screen = useScreen();
  const { model, mode } = useAgentChoices();
  const context = () => ({
    ...screen(),
    ...(model && { modelId: model.id }),
    ...(mode && { agentId: mode.id }),
  });
  const [{ chat, isNew }] = useState(() => openChat(chatId, context));
  useEffect(() => {
    openChat(chatId, context);
  });
  const { messages, setMessages, sendMessage, regenerate, stop, status, error, clearError } = useChat<AgentMessage>({
    chat,
    experimental_throttle: DRAW_EVERY_MS,
  });
  const isBusy = status === "submitted" || status === "streaming";
  const stored = useStoredChat(chatId, isNew, !isBusy && messages.length > 0);
  const isReading = stored.isReading && messages.length === 0;
  const { listRef, isAway, toEnd } = useStickyEnd();
  const [draft, setDraft] = useState<Outgoing>({ text: "", images: [] });
  /** The console whose failed query the last message is about, and that query. */
  const [fix, setFix] = useState<Extract<AgentRequest, { kind: "fix" }> | null>(null);

  const takeStored = useEffectEvent((detail: ChatDetail) => {
    if (chat.messages.length === 0) setMessages(detail.messages.map(toAgentMessage));
  });
  useEffect(() => {
    if (stored.data) takeStored(stored.data);
  }, [stored.data]);

  const send = (outgoing: Outgoing) => {
    setFix(null);
    clearError();
    agent.change({ isFresh: false });
    toEnd();
    void sendMessage(
      outgoing.images.length === 0 ? { text: outgoing.text } : { text: outgoing.text, files: outgoing.images },
    );
  };
  const takeRequest = useEffectEvent(() => {
    const { request } = agent.read();
    if (request === null || isBusy || isReading) return;
    agent.change({ request: null });
    send({ text: request.kind === "fix" ? toFixText(request) : request.text, images: [] });
    if (request.kind === "fix") setFix(request);
  });
  const hasRequest = agent.read().request !== null;
  useEffect(() => {
    if (hasRequest && !isBusy && !isReading) takeRequest();
  }, [hasRequest, isBusy, isReading]);

  // The title is the server's, made of the first message.
  const refreshLists = useEffectEvent(() => {
    void queryClient.invalidateQueries({ queryKey: toChatsKey(workspace.id) });
    void queryClient.invalidateQueries({ queryKey: toChatKey(workspace.id, chatId) });
  });
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !isBusy) refreshLists();
    wasBusy.current = isBusy;
  }, [isBusy]);

  const last = messages.at(-1);
  const again = () => {
    const asked = messages.findLast(({ role }) => role === "user");
    if (!asked) return;
    // What was refused before it was written down is sent as it is; else the question stands in the record already.
    if (error instanceof ApiError) return void regenerate();
    send(toOutgoing(asked));
  };
  const isEmpty = messages.length === 0 && !isReading && !stored.error;
  return (
    <>
      <ChatHead title={isEmpty ? "Agent" : (stored.title ?? titleOf(messages))} />
      <div className="msgs" ref={listRef} role="log" aria-live="off" aria-busy={isBusy} aria-label="Chat">
        <div className="msgs-in">
          {stored.older && (
            <button
              type="button"
              className="btn sm older"
              disabled={stored.isReading}
              onClick={() => void stored.readOlder(setMessages)}
            >
              Show older messages
            </button>
          )}
          {isReading && <Waiting label="Reading the chat" />}
          {stored.error && messages.length === 0 && (
            <Notice
              kind="bad"
              role="alert"
              action={
                <button type="button" className="btn sm" onClick={agent.begin}>
                  New chat
                </button>
              }
            >
              {toMessage(stored.error)}
            </Notice>
          )}
          {isEmpty && <Suggestions onAsk={(text) => send({ text, images: [] })} />}
          {messages.map((message) => (
            <MessageItem
              key={message.id}
              chatId={chatId}
              message={message}
              isLast={message === last}
              isBusy={isBusy && message === last}
              fix={message === last && message.role === "assistant" ? fix : null}
              onAgain={again}
              onEdit={() => setDraft(toOutgoing(message))}
              onAsk={(text) => send({ text, images: [] })}
            />
          ))}
          {isBusy && (last?.role === "user" || last?.parts.length === 0) && <Waiting label="The agent is thinking" />}
          {status === "error" && (
            <div className="turn-error" role="alert">
              <CircleAlert />
              <div className="grow">
                <p>{toWords(error)}</p>
                <button type="button" className="btn sm" onClick={again}>
                  Try again
                </button>
              </div>
            </div>
          )}
        </div>
      </div>
      {isAway && (
        <button type="button" className="btn icon sm to-end" aria-label="Go to the end" onClick={toEnd}>
          <ArrowDown />
        </button>
      )}
      <Composer draft={draft} onDraft={setDraft} isBusy={isBusy} onSend={send} onStop={() => void stop()} />
    </>
  );
}

function ChatHead({ title }: { title: string }) {
  const { agent } = useWorkspace();
  const isPhone = useIsPhone();
  return (
    <div className="agent-head">
      <Wheel className="wheel" />
      <h2 className="b6 grow trunc">{title}</h2>
      <Tip label="New chat">
        <button type="button" className="btn ghost icon sm" aria-label="New chat" onClick={agent.begin}>
          <Plus />
        </button>
      </Tip>
      <Tip label="Chats">
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label="Chats"
          onClick={() => agent.change({ isListing: true })}
        >
          <History />
        </button>
      </Tip>
      <CloseAgent isPhone={isPhone} />
    </div>
  );
}

export function CloseAgent({ isPhone }: { isPhone: boolean }) {
  return (
    <Tip label="Hide the agent" keys="mod+j">
      <button
        type="button"
        className="btn ghost icon sm"
        aria-label="Hide the agent"
        onClick={() => updateFrame({ agentOpen: false })}
      >
        {isPhone ? <X /> : <PanelRight />}
      </button>
    </Tip>
  );
}

function Waiting({ label }: { label: string }) {
  return (
    <div className="dots" role="status" aria-label={label}>
      <i />
      <i />
      <i />
    </div>
  );
}

/** What the server has of the chat. One that was begun in this page and not sent yet is unknown there, which is no failure. */
function useStoredChat(chatId: string, isNew: boolean, hasAnswer: boolean) {
  const { workspace, agent } = useWorkspace();
  // Only at first: what is sent makes it known, and the answer is here already.
  const [isFresh] = useState(() => agent.read().isFresh);
  const [older, setOlder] = useState<{ cursor: string | null } | null>(null);
  const [isReadingOlder, setIsReadingOlder] = useState(false);
  const { data, isLoading, error } = useQuery({
    queryKey: toChatKey(workspace.id, chatId),
    enabled: !isFresh || hasAnswer,
    queryFn: async ({ signal }) => {
      try {
        return await agentApi.readChat(workspace.id, chatId, null, signal);
      } catch (failure) {
        if (failure instanceof ApiError && failure.code === "not_found") return null;
        throw failure;
      }
    },
  });
  const cursor = older ? older.cursor : (data?.nextCursor ?? null);
  const readOlder = async (put: (change: (messages: AgentMessage[]) => AgentMessage[]) => void) => {
    setIsReadingOlder(true);
    try {
      const page = await agentApi.readChat(workspace.id, chatId, cursor);
      setOlder({ cursor: page.nextCursor });
      put((shown) => [...page.data.messages.map(toAgentMessage), ...shown]);
    } finally {
      setIsReadingOlder(false);
    }
  };
  return {
    data: data?.data ?? null,
    title: data?.data.title ?? null,
    error,
    isReading: (isLoading && isNew) || isReadingOlder,
    older: cursor !== null,
    readOlder,
  };
}

/** Keeps the end in sight while it grows, unless the person has scrolled away from it. */
function useStickyEnd() {
  const listRef = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [isAway, setIsAway] = useState(false);
  useEffect(() => {
    const list = listRef.current;
    if (list === null) return;
    const onScroll = () => {
      isAtEnd.current = list.scrollHeight - list.scrollTop - list.clientHeight < STICKY_PX;
      setIsAway(!isAtEnd.current);
    };
    list.addEventListener("scroll", onScroll, { passive: true });
    return () => list.removeEventListener("scroll", onScroll);
  }, []);
  // Cards grow after they were drawn, too: charts and differences are loaded late.
  useEffect(() => {
    const list = listRef.current;
    if (list === null) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) list.scrollTop = list.scrollHeight;
    });
    for (const element of [list, ...list.children]) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const toEnd = () => {
    isAtEnd.current = true;
    setIsAway(false);
    const list = listRef.current;
    if (list !== null) list.scrollTop = list.scrollHeight;
  };
  return { listRef, isAway, toEnd };
}

function toFixText({ query, message }: Extract<AgentRequest, { kind: "fix" }>): string {
  return `Fix this error: ${message.trim()}\n\n\`\`\`sql\n${query.trim()}\n\`\`\``;
}

function toOutgoing({ parts }: AgentMessage): Outgoing {
  return {
    text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    images: parts.flatMap((part) => (part.type === "file" ? [part] : [])),
  };
}

const TITLE_CHARS = 60;

function titleOf(messages: AgentMessage[]): string {
  const first = messages.find(({ role }) => role === "user");
  const text = first ? toOutgoing(first).text.replace(/\s+/g, " ").trim() : "";
  return text.length > TITLE_CHARS ? `${text.slice(0, TITLE_CHARS)}...` : text || "Agent";
}

/** What went wrong and what to do; the server's own words where it has some. */
function toWords(error: Error | undefined): string {
  if (error instanceof ApiError) {
    const wait = error.retryAfterSeconds;
    return wait === null ? error.message : `${error.message} Try again in ${wait} s.`;
  }
  return error?.message || "The answer broke off. Try again.";
}
