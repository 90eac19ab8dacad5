"use client";

import { ArrowLeft, Ellipsis, Plus, Search, X } from "lucide-react";
import { useState } from "react";
import { CloseAgent } from "@/components/agent/chat-view";
import { useChatActions, useChatList } from "@/components/agent/use-chat-list";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Confirm } from "@/components/ui/confirm";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Menu, MenuItem } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { useIsPhone } from "@/components/ui/use-browser";
import { groupByDay, toChatTime } from "@/lib/features/agent/browser/chat-days";
import type { Chat } from "@/lib/features/agent/schema";
import { formatCountOf } from "@/lib/platform/browser/format";

/** The user's chats: search by title, open, rename and delete. */
export function ChatList() {
  const [search, setSearch] = useState("");
  const words = search.trim().toLowerCase();
  const { chats, isAny, found } = useChatList(words);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = chats;
  const { rename, remove, deleting, askToDelete, isBusy, failure, close } = useChatActions();
  const now = new Date();
  return (
    <>
      <ListHead />
      <SearchField value={search} onChange={setSearch} count={words === "" ? null : found.length} />
      <div className="chats">
        {chats.isPending && <ListSkeleton label="Loading chats" rowPx={52} />}
        {chats.isError && <LoadFailure error={chats.error} onRetry={() => chats.refetch()} />}
        {chats.isSuccess && !isAny && (
          <p className="chats-none t2">No chats yet. Your chats appear here. Only you can see them.</p>
        )}
        {words !== "" && found.length === 0 && isAny && !isFetchingNextPage && (
          <p className="chats-none t2">No matching chats. Try another search.</p>
        )}
        {groupByDay(found, now).map(({ day, items }) => (
          <section key={day} aria-label={day}>
            <h3 className="chats-day">{day}</h3>
            <ul>
              {items.map((chat) => (
                <ChatRow
                  key={chat.id}
                  chat={chat}
                  words={words}
                  now={now}
                  onRename={(title) => void rename(chat, title)}
                  onDelete={() => askToDelete(chat)}
                />
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
        isBusy={isBusy}
        failure={failure}
        onConfirm={() => deleting && void remove(deleting)}
        onClose={close}
      >
        <p>This deletes its messages and saved results. This can't be undone.</p>
      </Confirm>
    </>
  );
}

function ListHead() {
  const { agent } = useWorkspace();
  const isPhone = useIsPhone();
  return (
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
  );
}

type SearchFieldProps = {
  value: string;
  onChange: (value: string) => void;
  /** Number of matches; null without a search. */
  count: number | null;
};

function SearchField({ value, onChange, count }: SearchFieldProps) {
  return (
    <div className="input sm chats-find">
      <Search className="s t3" />
      <input
        type="search"
        aria-label="Search chats"
        placeholder="Search chats"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      {count !== null && (
        <>
          <span className="xs t3">{formatCountOf(count, "result")}</span>
          <button type="button" aria-label="Clear search" onClick={() => onChange("")}>
            <X className="s" />
          </button>
        </>
      )}
    </div>
  );
}

type ChatRowProps = {
  chat: Chat;
  /** Searched text, which the title marks. */
  words: string;
  now: Date;
  onRename: (title: string) => void;
  onDelete: () => void;
};

function ChatRow({ chat, words, now, onRename, onDelete }: ChatRowProps) {
  const { agent } = useWorkspace();
  const [isRenaming, setIsRenaming] = useState(false);
  const isShown = chat.id === agent.read().chatId;
  return (
    <li className={isShown ? "chat-row on" : "chat-row"}>
      {isRenaming ? (
        <NameInput
          label="Chat title"
          value={chat.title}
          onDone={(title) => {
            setIsRenaming(false);
            if (title !== null) onRename(title);
          }}
        />
      ) : (
        <button
          type="button"
          className="chat-open"
          aria-current={isShown ? "true" : undefined}
          onKeyDown={(event) => {
            if (event.key !== "F2") return;
            event.preventDefault();
            setIsRenaming(true);
          }}
          onClick={() => agent.change({ chatId: chat.id, isFresh: false, isListing: false })}
        >
          <span className="row">
            <span className="b5 trunc grow">
              <Marked text={chat.title} words={words} />
            </span>
            <span className="xs t3 num">{toChatTime(chat.updatedAt, now)}</span>
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
        <MenuItem keys="F2" onSelect={() => setIsRenaming(true)}>
          Rename
        </MenuItem>
        <MenuItem onSelect={onDelete}>Delete</MenuItem>
      </Menu>
    </li>
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
