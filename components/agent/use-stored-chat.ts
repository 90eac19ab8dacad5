"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type AgentMessage, toAgentMessage } from "@/components/agent/chats";
import { toChatKey } from "@/components/agent/use-agent";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { agentApi } from "@/lib/features/agent/browser/client";
import { ApiError } from "@/lib/platform/browser/request";

/**
 * Time after which an answer written elsewhere counts as stopped, in ms. A server that crashed sends no event; its
 * heartbeat expires by then.
 */
const GONE_MS = 60_000;

/**
 * Loads the server's record of the chat. A chat that was started in this page and not sent yet is unknown there, which
 * is not an error.
 */
export function useStoredChat(chatId: string, isNew: boolean, hasAnswer: boolean) {
  const { workspace, agent } = useWorkspace();
  const queryClient = useQueryClient();
  // Only at first: sending makes it known to the server, and the answer is in this page already.
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
    refetchInterval: ({ state }) => (state.data?.data.messages.at(-1)?.state === "running" ? GONE_MS : false),
  });
  useLive((event) => {
    if (event.kind !== "reset") {
      const { resourceType, resourceId } = event.data;
      if (event.kind !== "plan" || resourceType !== "chat" || resourceId !== chatId) return;
    }
    // An answer written in this page is known here, and is loaded when it ends.
    if (hasAnswer) void queryClient.invalidateQueries({ queryKey: toChatKey(workspace.id, chatId) });
  });
  const cursor = older ? older.cursor : (data?.nextCursor ?? null);
  const readOlder = async (put: (change: (messages: AgentMessage[]) => AgentMessage[]) => void) => {
    setIsReadingOlder(true);
    try {
      const page = await agentApi.readChat(workspace.id, chatId, cursor);
      setOlder({ cursor: page.nextCursor });
      put((shown) => [...page.data.messages.map(toAgentMessage), ...shown]);
    } catch (error) {
      showFailure(toMessage(error));
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
