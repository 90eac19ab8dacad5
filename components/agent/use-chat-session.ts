"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { AgentRequest } from "@/components/agent/agent-store";
import { toFixText, toOutgoing } from "@/components/agent/chat-texts";
import { type AgentMessage, openChat, toAgentMessage } from "@/components/agent/chats";
import type { Outgoing } from "@/components/agent/composer";
import { useChat } from "@/components/agent/sdk";
import { toChatKey, toChatsKey, useAgentChoices, useScreen } from "@/components/agent/use-agent";
import { useStoredChat } from "@/components/agent/use-stored-chat";
import { useWorkspace } from "@/components/layout/workspace-context";
import { mergeRecord, recordIdOf } from "@/lib/features/agent/browser/chat-record";
import type { ChatDetail } from "@/lib/features/agent/schema";
import { ApiError } from "@/lib/platform/browser/request";

/** Minimum time between two renders of a stream, in ms: a fast model sends hundreds of chunks a second. */
const DRAW_EVERY_MS = 60;
const EMPTY: Outgoing = { text: "", images: [] };

/**
 * Returns a chat with its draft, and the actions on its messages.
 * @param onSend called before a message is sent
 */
export function useChatSession(chatId: string, onSend: () => void) {
  const { agent } = useWorkspace();
  const { chat, isNew } = useOpenChat(chatId);
  const { messages, setMessages, sendMessage, regenerate, stop, status, error, clearError } = useChat<AgentMessage>({
    chat,
    experimental_throttle: DRAW_EVERY_MS,
  });
  const isBusy = status === "submitted" || status === "streaming";
  const stored = useStoredChat(chatId, isNew, !isBusy && messages.length > 0);
  const isReading = stored.isReading && messages.length === 0;
  const [draft, setDraft] = useState<Outgoing>(EMPTY);
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

  const send = ({ text, images }: Outgoing) => {
    const at = editedAt;
    replaced.current = at < 0 ? null : recordIdOf(messages, at);
    setFix(null);
    setEditing(null);
    clearError();
    agent.change({ isFresh: false });
    onSend();
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
  useListRefresh(chatId, isBusy);

  return {
    messages,
    stored,
    isReading,
    isBusy,
    isFailed: status === "error",
    error,
    fix,
    draft,
    setDraft,
    send,
    stop: () => void stop(),
    readOlder: () => void stored.readOlder(setMessages),
    /** Asks the last question again. */
    retry: () => {
      const at = messages.findLastIndex(({ role }) => role === "user");
      if (at < 0) return;
      // A refused message is not in the record. Any other message of the record is replaced, question and answer.
      if (!(error instanceof ApiError)) replaced.current = recordIdOf(messages, at);
      setEditing(null);
      onSend();
      void regenerate(toOptions(replaced.current));
    },
    /** Index of the message being edited; negative without one. */
    editedAt,
    edit: (message: AgentMessage, at: number) => {
      // The message's own id changes when the record is loaded; its answer's does not.
      setEditing(recordIdOf(messages, at) ?? message.id);
      setDraft(toOutgoing(message));
      agent.summon();
    },
    leaveEdit: () => {
      setEditing(null);
      setDraft(EMPTY);
    },
  };
}

/** Returns the chat of an id. Its requests carry the current screen and the chosen model. */
function useOpenChat(chatId: string) {
  const screen = useScreen();
  const { model, mode } = useAgentChoices();
  const context = () => ({
    ...screen(),
    ...(model && { modelId: model.id }),
    ...(mode && { agentId: mode.id }),
  });
  const [opened] = useState(() => openChat(chatId, context));
  useEffect(() => {
    openChat(chatId, context);
  });
  return opened;
}

/** Reads the lists again after each answer: the server creates the title from the first message. */
function useListRefresh(chatId: string, isBusy: boolean) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const refresh = useEffectEvent(() => {
    void queryClient.invalidateQueries({ queryKey: toChatsKey(workspace.id) });
    void queryClient.invalidateQueries({ queryKey: toChatKey(workspace.id, chatId) });
  });
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !isBusy) refresh();
    wasBusy.current = isBusy;
  }, [isBusy]);
}

function toOptions(replaces: string | null) {
  return { body: replaces === null ? {} : { replaces } };
}
