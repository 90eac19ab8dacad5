"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ArrowDown, CircleAlert, History, PanelRight, Plus, X } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { AgentRequest } from "@/components/agent/agent-store";
import { type AgentMessage, openChat, toAgentMessage } from "@/components/agent/chats";
import { Composer, type Outgoing } from "@/components/agent/composer";
import { MessageItem } from "@/components/agent/message-item";
import { useChat } from "@/components/agent/sdk";
import { Suggestions } from "@/components/agent/suggestions";
import { toChatKey, toChatsKey, useAgentChoices, useScreen } from "@/components/agent/use-agent";
import { setAgentOpen } from "@/components/agent/use-agent-panel";
import { useStickyEnd } from "@/components/agent/use-sticky-end";
import { useStoredChat } from "@/components/agent/use-stored-chat";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Notice } from "@/components/ui/notice";
import { Tip } from "@/components/ui/tip";
import { toMessage } from "@/components/ui/to-message";
import { useIsPhone } from "@/components/ui/use-browser";
import { Wheel } from "@/components/ui/wheel";
import { mergeRecord, recordIdOf } from "@/lib/features/agent/browser/chat-record";
import type { ChatDetail } from "@/lib/features/agent/browser/client";
import { formatCountOf } from "@/lib/platform/browser/format";
import { ApiError } from "@/lib/platform/browser/request";

/** Minimum time between two renders of a stream, in ms: a fast model sends hundreds of chunks a second. */
const DRAW_EVERY_MS = 60;

/** One chat with the agent: its messages and the message field. */
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
  /** The failed query that the last message is about, with its console. */
  const [fix, setFix] = useState<Extract<AgentRequest, { kind: "fix" }> | null>(null);

  /** The message in the list that is being edited and will be resent: its id in the server's record, if it has one. */
  const [editing, setEditing] = useState<string | null>(null);
  /** Id of the message in the server's record that the last message replaces. A retry replaces the same one. */
  const replaced = useRef<string | null>(null);

  const named = messages.findIndex(({ id }) => id === editing);
  const editedAt = messages[named]?.role === "assistant" ? named - 1 : named;

  // The record is authoritative: it has the ids of messages sent from here, and the end of each answer.
  const takeStored = useEffectEvent((detail: ChatDetail) => {
    if (chat.status === "ready") setMessages((shown) => mergeRecord(shown, detail.messages.map(toAgentMessage)));
  });
  useEffect(() => {
    if (stored.data) takeStored(stored.data);
  }, [stored.data]);

  const send = (outgoing: Outgoing) => {
    const { text, images } = outgoing;
    const at = editedAt;
    replaced.current = at < 0 ? null : recordIdOf(messages, at);
    setFix(null);
    setEditing(null);
    clearError();
    agent.change({ isFresh: false });
    toEnd();
    const messageId = at < 0 ? undefined : messages[at]?.id;
    void sendMessage({ text, ...(images.length > 0 && { files: images }), messageId }, toOptions(replaced.current));
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

  // The server creates the title from the first message.
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
    const at = messages.findLastIndex(({ role }) => role === "user");
    if (at < 0) return;
    // A refused message is not in the record. Any other message of the record is replaced, question and answer.
    if (!(error instanceof ApiError)) replaced.current = recordIdOf(messages, at);
    setEditing(null);
    toEnd();
    void regenerate(toOptions(replaced.current));
  };
  const edit = (message: AgentMessage, at: number) => {
    // The message's own id changes when the record is loaded; its answer's does not.
    setEditing(recordIdOf(messages, at) ?? message.id);
    setDraft(toOutgoing(message));
    agent.summon();
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
              Load older messages
            </button>
          )}
          {isReading && <Waiting label="Loading chat" />}
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
          {messages.map((message, at) => (
            <MessageItem
              key={message.id}
              chatId={chatId}
              message={message}
              isLast={message === last}
              isBusy={isBusy && message === last}
              fix={message === last && message.role === "assistant" ? fix : null}
              onAgain={again}
              isGoing={editedAt >= 0 && at >= editedAt}
              onEdit={isBusy ? null : () => edit(message, at)}
              onAsk={(text) => send({ text, images: [] })}
            />
          ))}
          {isBusy && (last?.role === "user" || last?.parts.length === 0) && <Waiting label="Thinking" />}
          {status === "error" && (
            <div className="turn-error" role="alert">
              <CircleAlert />
              <div className="grow">
                <p>{toWords(error)}</p>
                <button type="button" className="btn sm" onClick={again}>
                  Retry
                </button>
              </div>
            </div>
          )}
        </div>
      </div>
      {isAway && (
        <button type="button" className="btn icon sm to-end" aria-label="Scroll to latest" onClick={toEnd}>
          <ArrowDown />
        </button>
      )}
      <Composer
        draft={draft}
        onDraft={setDraft}
        isBusy={isBusy}
        onSend={send}
        onStop={() => void stop()}
        onLeaveEdit={
          editedAt < 0
            ? null
            : () => {
                setEditing(null);
                setDraft({ text: "", images: [] });
              }
        }
      />
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
    <Tip label="Hide agent" keys="mod+j">
      <button type="button" className="btn ghost icon sm" aria-label="Hide agent" onClick={() => setAgentOpen(false)}>
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

function toOptions(replaces: string | null) {
  return { body: replaces === null ? {} : { replaces } };
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

/** Returns what went wrong and what to do, in the server's words if it sent any. */
function toWords(error: Error | undefined): string {
  if (error instanceof ApiError) {
    const wait = error.retryAfterSeconds;
    return wait === null ? error.message : `${error.message} Try again in ${formatCountOf(wait, "second")}.`;
  }
  return error?.message || "The answer was interrupted. Try again.";
}
