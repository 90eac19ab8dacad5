"use client";

import { ArrowDown, CircleAlert, History, PanelRight, Plus, X } from "lucide-react";
import { titleOf, toWords } from "@/components/agent/chat-texts";
import { Composer } from "@/components/agent/composer";
import { MessageItem } from "@/components/agent/message-item";
import { Suggestions } from "@/components/agent/suggestions";
import { setAgentOpen } from "@/components/agent/use-agent-panel";
import { useChatSession } from "@/components/agent/use-chat-session";
import { useStickyEnd } from "@/components/agent/use-sticky-end";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Notice } from "@/components/ui/notice";
import { Tip } from "@/components/ui/tip";
import { toMessage } from "@/components/ui/to-message";
import { useIsPhone } from "@/components/ui/use-browser";
import { Wheel } from "@/components/ui/wheel";

/** One chat with the agent: its messages and the message field. */
export function ChatView({ chatId }: { chatId: string }) {
  const { listRef, isAway, toEnd } = useStickyEnd();
  const session = useChatSession(chatId, toEnd);
  const { messages, stored, isReading, isBusy, error, fix, editedAt, send, retry } = session;
  const { agent } = useWorkspace();
  const isPhone = useIsPhone();
  const ask = (text: string) => {
    send({ text, images: [] });
    // The button goes away, and with it the keyboard's place. On a phone the field would open the screen's keyboard.
    if (!isPhone) agent.summon();
  };
  const last = messages.at(-1);
  const isEmpty = messages.length === 0 && !isReading && !stored.error;
  return (
    <>
      <ChatHead title={isEmpty ? "Agent" : (stored.title ?? titleOf(messages))} />
      <div className="msgs" ref={listRef} role="log" aria-live="off" aria-busy={isBusy} aria-label="Chat">
        <div className="msgs-in">
          {stored.older && (
            <button type="button" className="btn sm older" disabled={stored.isReading} onClick={session.readOlder}>
              Load older messages
            </button>
          )}
          {isReading && <Waiting label="Loading chat" />}
          {stored.error && messages.length === 0 && <LoadError error={stored.error} />}
          {isEmpty && <Suggestions onAsk={ask} />}
          {messages.map((message, at) => (
            <MessageItem
              key={message.id}
              chatId={chatId}
              message={message}
              isLast={message === last}
              isBusy={isBusy && message === last}
              fix={message === last && message.role === "assistant" ? fix : null}
              onAgain={retry}
              isGoing={editedAt >= 0 && at >= editedAt}
              onEdit={isBusy ? null : () => session.edit(message, at)}
              onAsk={ask}
            />
          ))}
          {isBusy && (last?.role === "user" || last?.parts.length === 0) && <Waiting label="Thinking" />}
          {session.isFailed && <TurnError error={error} onRetry={retry} />}
        </div>
      </div>
      {isAway && (
        <button type="button" className="btn icon sm to-end" aria-label="Scroll to latest" onClick={toEnd}>
          <ArrowDown />
        </button>
      )}
      <Composer
        draft={session.draft}
        onDraft={session.setDraft}
        isBusy={isBusy}
        onSend={send}
        onStop={session.stop}
        onLeaveEdit={editedAt < 0 ? null : session.leaveEdit}
      />
    </>
  );
}

function LoadError({ error }: { error: unknown }) {
  const { agent } = useWorkspace();
  return (
    <Notice
      kind="bad"
      role="alert"
      action={
        <button type="button" className="btn sm" onClick={agent.begin}>
          New chat
        </button>
      }
    >
      {toMessage(error)}
    </Notice>
  );
}

function TurnError({ error, onRetry }: { error: Error | undefined; onRetry: () => void }) {
  return (
    <div className="turn-error" role="alert">
      <CircleAlert />
      <div className="grow">
        <p>{toWords(error)}</p>
        <button type="button" className="btn sm" onClick={onRetry}>
          Retry
        </button>
      </div>
    </div>
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
