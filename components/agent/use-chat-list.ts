"use client";

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { forgetChat } from "@/components/agent/chats";
import { toChatsKey } from "@/components/agent/use-agent";
import { useWorkspace } from "@/components/layout/workspace-context";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { agentApi } from "@/lib/features/agent/browser/client";
import type { Chat } from "@/lib/features/agent/schema";

/** Maximum number of pages loaded without a click during a search. */
const SEARCHED_PAGES_MAX = 10;

/** Returns the user's chats whose titles contain the words, newest first. @param words lower case; empty for all */
export function useChatList(words: string) {
  const { workspace } = useWorkspace();
  const chats = useInfiniteQuery({
    queryKey: toChatsKey(workspace.id),
    queryFn: ({ pageParam, signal }) => agentApi.listChats(workspace.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = chats;
  const pages = chats.data?.pages ?? [];
  const isSearching = words !== "";
  useEffect(() => {
    if (isSearching && hasNextPage && !isFetchingNextPage && pages.length < SEARCHED_PAGES_MAX) void fetchNextPage();
  }, [isSearching, hasNextPage, isFetchingNextPage, fetchNextPage, pages.length]);
  const all = pages.flatMap(({ items }) => items);
  return { chats, isAny: all.length > 0, found: all.filter(({ title }) => title.toLowerCase().includes(words)) };
}

/** Returns functions that rename and delete a chat, with the chat that is being deleted. */
export function useChatActions() {
  const { workspace, agent } = useWorkspace();
  const queryClient = useQueryClient();
  const [deleting, setDeleting] = useState<Chat | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const readAgain = () => queryClient.invalidateQueries({ queryKey: toChatsKey(workspace.id) });
  const rename = async (chat: Chat, title: string) => {
    if (title.trim() === "" || title === chat.title) return;
    try {
      await agentApi.renameChat(workspace.id, chat.id, title.trim());
      await Promise.all([readAgain(), queryClient.invalidateQueries({ queryKey: ["chat", workspace.id, chat.id] })]);
    } catch (error) {
      showFailure(toMessage(error));
    }
  };
  const close = () => {
    setDeleting(null);
    setIsBusy(false);
    setFailure(null);
  };
  const remove = async (chat: Chat) => {
    setIsBusy(true);
    setFailure(null);
    try {
      await agentApi.removeChat(workspace.id, chat.id);
      forgetChat(chat.id);
      if (chat.id === agent.read().chatId) {
        agent.begin();
        agent.change({ isListing: true });
      }
      await readAgain();
      close();
    } catch (error) {
      setIsBusy(false);
      setFailure(toMessage(error));
    }
  };
  return { rename, remove, deleting, askToDelete: setDeleting, isBusy, failure, close };
}
