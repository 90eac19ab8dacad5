"use client";

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, Ellipsis, Plus, Search, X } from "lucide-react";
import { useEffect, useState } from "react";
import { CloseAgent } from "@/components/agent/chat-view";
import { forgetChat } from "@/components/agent/chats";
import { toChatsKey } from "@/components/agent/use-agent";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Confirm } from "@/components/ui/confirm";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Menu, MenuItem } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useIsPhone } from "@/components/ui/use-browser";
import { agentApi, type Chat } from "@/lib/features/agent/browser/client";
import { formatClock, formatCountOf } from "@/lib/platform/browser/format";

/** Maximum number of pages loaded without a click during a search. */
const SEARCHED_PAGES_MAX = 10;

/** The user's chats: search by title, open, rename and delete. */
export function ChatList() {
  const { workspace, agent } = useWorkspace();
  const queryClient = useQueryClient();
  const isPhone = useIsPhone();
  const [search, setSearch] = useState("");
  const [renaming, setRenaming] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<Chat | null>(null);
  const [deletion, setDeletion] = useState<{ isBusy: boolean; failure: string | null }>({
    isBusy: false,
    failure: null,
  });
  const key = toChatsKey(workspace.id);
  const chats = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => agentApi.listChats(workspace.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = chats;
  const pages = chats.data?.pages ?? [];
  const isSearching = search.trim() !== "";
  useEffect(() => {
    if (isSearching && hasNextPage && !isFetchingNextPage && pages.length < SEARCHED_PAGES_MAX) void fetchNextPage();
  }, [isSearching, hasNextPage, isFetchingNextPage, fetchNextPage, pages.length]);

  const all = pages.flatMap(({ items }) => items);
  const words = search.trim().toLowerCase();
  const found = all.filter(({ title }) => title.toLowerCase().includes(words));
  const { chatId } = agent.read();
  const rename = async (chat: Chat, title: string | null) => {
    setRenaming(null);
    if (title === null || title.trim() === "" || title === chat.title) return;
    try {
      await agentApi.renameChat(workspace.id, chat.id, title.trim());
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: key }),
        queryClient.invalidateQueries({ queryKey: ["chat", workspace.id, chat.id] }),
      ]);
    } catch (error) {
      showFailure(toMessage(error));
    }
  };
  const remove = async (chat: Chat) => {
    setDeletion({ isBusy: true, failure: null });
    try {
      await agentApi.removeChat(workspace.id, chat.id);
      forgetChat(chat.id);
      if (chat.id === chatId) {
        agent.begin();
        agent.change({ isListing: true });
      }
      await queryClient.invalidateQueries({ queryKey: key });
      setDeleting(null);
      setDeletion({ isBusy: false, failure: null });
    } catch (error) {
      setDeletion({ isBusy: false, failure: toMessage(error) });
    }
  };
  const now = new Date();
  return (
    <>
      <div className="agent-head">
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label="Back to chat"
          onClick={() => agent.change({ isListing: false })}
        >
          <ArrowLeft />
        </button>
        <h2 className="b6 grow">Chats</h2>
        <button type="button" className="btn sm" onClick={agent.begin}>
          <Plus className="s" />
          New chat
        </button>
        <CloseAgent isPhone={isPhone} />
      </div>
      <div className="input sm chats-find">
        <Search className="s t3" />
        <input
          type="search"
          aria-label="Search chats"
          placeholder="Search chats"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        {isSearching && (
          <>
            <span className="xs t3">{formatCountOf(found.length, "result")}</span>
            <button type="button" aria-label="Clear search" onClick={() => setSearch("")}>
              <X className="s" />
            </button>
          </>
        )}
      </div>
      <div className="chats">
        {chats.isPending && <ListSkeleton label="Loading chats" rowPx={52} />}
        {chats.isError && <LoadFailure error={chats.error} onRetry={() => chats.refetch()} />}
        {chats.isSuccess && all.length === 0 && (
          <p className="chats-none t2">No chats yet. Your chats appear here. Only you can see them.</p>
        )}
        {isSearching && found.length === 0 && all.length > 0 && !isFetchingNextPage && (
          <p className="chats-none t2">No matching chats. Try another search.</p>
        )}
        {byDay(found, now).map(({ day, items }) => (
          <section key={day} aria-label={day}>
            <h3 className="chats-day">{day}</h3>
            <ul>
              {items.map((chat) => (
                <li key={chat.id} className={chat.id === chatId ? "chat-row on" : "chat-row"}>
                  {renaming === chat.id ? (
                    <NameInput label="Chat title" value={chat.title} onDone={(title) => void rename(chat, title)} />
                  ) : (
                    <button
                      type="button"
                      className="chat-open"
                      aria-current={chat.id === chatId ? "true" : undefined}
                      onKeyDown={(event) => {
                        if (event.key !== "F2") return;
                        event.preventDefault();
                        setRenaming(chat.id);
                      }}
                      onClick={() => agent.change({ chatId: chat.id, isFresh: false, isListing: false })}
                    >
                      <span className="row">
                        <span className="b5 trunc grow">
                          <Marked text={chat.title} words={words} />
                        </span>
                        <span className="xs t3 num">{toWhen(chat.updatedAt, now)}</span>
                      </span>
                      <span className="xs t3">{formatCountOf(chat.messageCount, "message")}</span>
                    </button>
                  )}
                  <Menu
                    align="end"
                    trigger={
                      <button type="button" className="btn ghost icon sm" aria-label={`Actions for ${chat.title}`}>
                        <Ellipsis />
                      </button>
                    }
                  >
                    <MenuItem keys="F2" onSelect={() => setRenaming(chat.id)}>
                      Rename
                    </MenuItem>
                    <MenuItem onSelect={() => setDeleting(chat)}>Delete</MenuItem>
                  </Menu>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {hasNextPage && (
          <button
            type="button"
            className="btn sm older"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {isFetchingNextPage ? "Loading" : "Load older chats"}
          </button>
        )}
      </div>
      <p className="chats-foot xs t3">Only you can see your chats</p>
      <Confirm
        title={`Delete ${deleting?.title ?? "chat"}?`}
        action="Delete chat"
        isOpen={deleting !== null}
        isBusy={deletion.isBusy}
        failure={deletion.failure}
        onConfirm={() => deleting && void remove(deleting)}
        onClose={() => {
          setDeleting(null);
          setDeletion({ isBusy: false, failure: null });
        }}
      >
        <p>This deletes its messages and saved results. This can't be undone.</p>
      </Confirm>
    </>
  );
}

function Marked({ text, words }: { text: string; words: string }) {
  const at = words === "" ? -1 : text.toLowerCase().indexOf(words);
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + words.length)}</mark>
      {text.slice(at + words.length)}
    </>
  );
}

function byDay(chats: Chat[], now: Date): { day: string; items: Chat[] }[] {
  const groups = new Map<string, Chat[]>();
  for (const chat of chats) {
    const day = toDay(new Date(chat.updatedAt), now);
    groups.set(day, [...(groups.get(day) ?? []), chat]);
  }
  return [...groups].map(([day, items]) => ({ day, items }));
}

function toDay(at: Date, now: Date): string {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  if (at >= midnight) return "Today";
  if (at >= new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)) return "Yesterday";
  if (at.getFullYear() === now.getFullYear() && at.getMonth() === now.getMonth()) return "Earlier this month";
  return at.toLocaleDateString("en", { month: "long", year: "numeric" });
}

function toWhen(text: string, now: Date): string {
  const at = new Date(text);
  const day = toDay(at, now);
  if (day === "Today" || day === "Yesterday") return formatClock(at, false);
  return at.toLocaleDateString("en", { day: "numeric", month: "short" });
}
