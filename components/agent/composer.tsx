"use client";

import {
  ArrowUp,
  AtSign,
  ChevronDown,
  Database,
  Image as ImageIcon,
  Pencil,
  Square,
  SquareTerminal,
  Table2,
  X,
} from "lucide-react";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { toMention } from "@/components/agent/mention-text";
import type { FileUIPart } from "@/components/agent/sdk";
import { useAgentChoices } from "@/components/agent/use-agent";
import { type Mentionable, useMentionables } from "@/components/agent/use-mentions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Menu, MenuChoice } from "@/components/ui/menu";
import { Tip } from "@/components/ui/tip";
import { showFailure } from "@/components/ui/toast";
import { useNow, useOutage } from "@/components/ui/use-browser";

/** A message as the composer sends it. */
export type Outgoing = { text: string; images: FileUIPart[] };

/** Same limit as on the server. A longer message is rejected before it is sent. */
const TEXT_BYTES_MAX = 64 * 1024;
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Maximum size of all images of a message, in bytes: a body takes 8 MiB, and base64 adds a third. */
const IMAGES_BYTES_MAX = 5 * 1024 * 1024;
const HEIGHT_MAX_PX = 220;

type ComposerProps = {
  draft: Outgoing;
  onDraft: (change: (before: Outgoing) => Outgoing) => void;
  isBusy: boolean;
  onSend: (outgoing: Outgoing) => void;
  onStop: () => void;
  /** Cancels the edit of a message; null if none is being edited. */
  onLeaveEdit: (() => void) | null;
};

/** The message field of the agent: @ mentions, attached images and the choice of the model. */
export function Composer({ draft, onDraft, isBusy, onSend, onStop, onLeaveEdit }: ComposerProps) {
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  const fileRef = useRef<HTMLInputElement>(null);
  const listId = useId();
  const outage = useOutage();
  const mentions = useMentions(draft.text, fieldRef);
  const { text, images } = draft;
  /** Number of selected images that are still loading. */
  const reading = useRef(0);
  const isTooLong = new TextEncoder().encode(text).length > TEXT_BYTES_MAX;
  const canSend = (text.trim() !== "" || images.length > 0) && !isTooLong && outage === null;

  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows the text
  useLayoutEffect(() => {
    const field = fieldRef.current;
    if (field === null) return;
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight, HEIGHT_MAX_PX)}px`;
  }, [text]);
  const { agent } = useWorkspace();
  const asked = useSyncExternalStore(agent.subscribe, agent.read, agent.read);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the panel may be asked for while it is open already
  useEffect(() => {
    if (agent.takeSummons()) fieldRef.current?.focus({ preventScroll: true });
  }, [agent, asked]);

  const write = (next: string) => onDraft((before) => ({ ...before, text: next }));
  const send = () => {
    // A loading image is sent with the message, so the message waits for it.
    if (!canSend || isBusy || reading.current > 0) return;
    onSend(draft);
    onDraft(() => ({ text: "", images: [] }));
  };
  const put = (chosen: Mentionable) => {
    const { from, to } = mentions.range ?? { from: text.length, to: text.length };
    const mention = `${toMention(chosen.name)} `;
    write(text.slice(0, from) + mention + text.slice(to));
    mentions.close();
    const caret = from + mention.length;
    requestAnimationFrame(() => {
      fieldRef.current?.focus();
      fieldRef.current?.setSelectionRange(caret, caret);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (mentions.isOpen && mentions.onKey(event.key, put)) event.preventDefault();
    else if (event.key === "Escape" && onLeaveEdit) {
      event.preventDefault();
      onLeaveEdit();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    }
  };
  const attach = async (files: Iterable<File>) => {
    const taken: Outgoing["images"] = [];
    let bytes = images.reduce((sum, { url }) => sum + url.length * 0.75, 0);
    reading.current += 1;
    try {
      for (const file of files) {
        bytes += file.size;
        if (!IMAGE_TYPES.includes(file.type))
          showFailure(`${file.name} isn't supported. Attach a PNG, JPEG, GIF or WebP image.`);
        else if (bytes > IMAGES_BYTES_MAX) showFailure("Images exceed 5 MB in total. Attach fewer or smaller images.");
        else taken.push({ type: "file", mediaType: file.type, filename: file.name, url: await toDataUrl(file) });
      }
    } finally {
      reading.current -= 1;
    }
    onDraft((before) => ({ ...before, images: [...before.images, ...taken] }));
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    void attach(files);
  };
  return (
    <div className="compose">
      {mentions.isOpen && (
        <div className="menu mention-menu" role="listbox" id={listId} aria-label="Mentions">
          {mentions.offered.map((each, at) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus, and the keys
            <div
              key={`${each.kind} ${each.name} ${each.detail}`}
              id={`${listId}-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === mentions.at}
              className="menu-item"
              data-highlighted={at === mentions.at ? "" : undefined}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => put(each)}
            >
              <MentionIcon kind={each.kind} />
              <span className="trunc">{each.name}</span>
              <span className="end trunc">{each.detail}</span>
            </div>
          ))}
        </div>
      )}
      {onLeaveEdit && (
        <div className="row xs t2 compose-edit">
          <Pencil className="xs" />
          <span className="grow">Editing a message. Later messages will be deleted.</span>
          <button type="button" className="link" onClick={onLeaveEdit}>
            Cancel
          </button>
        </div>
      )}
      {images.length > 0 && (
        <ul className="attached">
          {images.map(({ url, filename }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same image may be attached twice
            <li key={at}>
              {/* biome-ignore lint/performance/noImgElement: it is in the page already */}
              <img src={url} alt={filename ?? "Image"} />
              <button
                type="button"
                aria-label={`Remove ${filename ?? "image"}`}
                onClick={() =>
                  onDraft((before) => ({ ...before, images: before.images.filter((_, index) => index !== at) }))
                }
              >
                <X className="xs" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={fieldRef}
        data-keeps-focus
        rows={1}
        aria-label="Message the agent"
        aria-autocomplete="list"
        aria-controls={mentions.isOpen ? listId : undefined}
        aria-activedescendant={mentions.isOpen ? `${listId}-${mentions.at}` : undefined}
        placeholder="Ask a question or request a change"
        value={text}
        onChange={({ target }) => {
          write(target.value);
          mentions.follow(target.value, target.selectionStart);
        }}
        onBlur={mentions.close}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {isTooLong && <p className="tool-error">Message exceeds 64 KB. Shorten it, or save it as a console.</p>}
      {outage !== null && <p className="xs t3 compose-note">{outage}. Your draft is kept.</p>}
      <div className="row compose-acts">
        <Tip label="Mention a table, console or connection">
          <button
            type="button"
            className="btn ghost icon sm"
            aria-label="Mention a table, console or connection"
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => {
              const field = fieldRef.current;
              const caret = field?.selectionStart ?? text.length;
              const before = text.slice(0, caret);
              const mark = before === "" || /\s$/.test(before) ? "@" : " @";
              write(before + mark + text.slice(caret));
              field?.focus();
              mentions.follow(before + mark, before.length + mark.length);
            }}
          >
            <AtSign className="s" />
          </button>
        </Tip>
        <Tip label="Attach image">
          <button
            type="button"
            className="btn ghost icon sm"
            aria-label="Attach image"
            onClick={() => fileRef.current?.click()}
          >
            <ImageIcon className="s" />
          </button>
        </Tip>
        <input
          ref={fileRef}
          type="file"
          hidden
          multiple
          accept={IMAGE_TYPES.join(",")}
          onChange={({ target }) => {
            void attach([...(target.files ?? [])]);
            target.value = "";
          }}
        />
        <Pickers />
        <span className="grow" />
        {isBusy ? (
          <>
            <Elapsed />
            <button type="button" className="btn sm danger" onClick={onStop}>
              <Square className="s" />
              Stop
            </button>
          </>
        ) : (
          <button
            type="button"
            className="btn primary icon sm"
            aria-label="Send"
            aria-disabled={!canSend}
            onClick={send}
          >
            <ArrowUp className="s" />
          </button>
        )}
      </div>
    </div>
  );
}

function Pickers() {
  const { agent } = useWorkspace();
  const { models, modes, model, mode } = useAgentChoices();
  return (
    <>
      {mode && (
        <Menu
          side="top"
          trigger={
            <button type="button" className="btn ghost sm" aria-label={`Mode: ${mode.name}`}>
              {mode.name}
              <ChevronDown className="xs" />
            </button>
          }
        >
          <MenuChoice
            label="Mode"
            value={mode.id}
            onChange={(agentId) => agent.change({ agentId })}
            options={modes.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Menu>
      )}
      {model && (
        <Menu
          side="top"
          trigger={
            <button type="button" className="btn ghost sm model-pick" aria-label={`Model: ${model.name}`}>
              <span className="trunc">{model.name}</span>
              <ChevronDown className="xs" />
            </button>
          }
        >
          <MenuChoice
            label="Model"
            value={model.id}
            onChange={(modelId) => agent.change({ modelId })}
            options={models.map(({ id, name, provider }) => ({ value: id, label: name, end: provider }))}
          />
        </Menu>
      )}
    </>
  );
}

const TICK_MS = 100;

function Elapsed() {
  const now = useNow(true, TICK_MS);
  const [startedAt] = useState(() => Date.now());
  const seconds = now === null ? 0 : Math.max(0, now - startedAt) / 1000;
  return <span className="st run answering">Answering ({seconds.toFixed(1)} s)</span>;
}

function MentionIcon({ kind }: { kind: Mentionable["kind"] }) {
  const Icon = kind === "table" ? Table2 : kind === "console" ? SquareTerminal : Database;
  return <Icon className="s" />;
}

/** The name being typed after an @, and the matching names. */
function useMentions(text: string, fieldRef: React.RefObject<HTMLTextAreaElement | null>) {
  const find = useMentionables();
  const [range, setRange] = useState<{ from: number; to: number } | null>(null);
  const [at, setAt] = useState(0);
  const typed = range ? text.slice(range.from + 1, range.to) : "";
  const offered = range ? find(typed) : [];
  const follow = (value: string, caret: number) => {
    const match = /(?:^|\s)@([\p{L}\p{N}_.-]*)$/u.exec(value.slice(0, caret));
    setAt(0);
    setRange(match ? { from: caret - (match[1]?.length ?? 0) - 1, to: caret } : null);
  };
  const close = () => setRange(null);
  /** @returns whether the list handled the key */
  const onKey = (key: string, choose: (chosen: Mentionable) => void): boolean => {
    const chosen = offered[at];
    if (key === "ArrowDown") setAt((at + 1) % offered.length);
    else if (key === "ArrowUp") setAt((at - 1 + offered.length) % offered.length);
    else if ((key === "Enter" || key === "Tab") && chosen) choose(chosen);
    else if (key === "Escape") {
      close();
      fieldRef.current?.focus();
    } else return false;
    return true;
  };
  return {
    isOpen: offered.length > 0,
    offered,
    at: Math.min(at, Math.max(0, offered.length - 1)),
    range,
    follow,
    close,
    onKey,
  };
}

function toDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
