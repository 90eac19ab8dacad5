"use client";

import { ArrowUp, AtSign, Pencil, Square } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react"; // biome-ignore format: one look
import { AgentPickers } from "@/components/agent/agent-pickers";
import { AttachButton, AttachedImages, useAttachments } from "@/components/agent/attachments";
import { MentionMenu } from "@/components/agent/mention-menu";
import { toMention } from "@/components/agent/mention-text";
import type { FileUIPart } from "@/components/agent/sdk";
import { useMentionList } from "@/components/agent/use-mention-list";
import type { Mentionable } from "@/components/agent/use-mentions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Tip } from "@/components/ui/tip";
import { useNow, useOutage } from "@/components/ui/use-browser";
import { withMentionMark } from "@/lib/features/agent/browser/mentions";

/** A message as the composer sends it. */
export type Outgoing = { text: string; images: FileUIPart[] };

/** Same limit as on the server. A longer message is rejected before it is sent. */
const TEXT_BYTES_MAX = 64 * 1024;
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
  const listId = useId();
  const outage = useOutage();
  const { text, images } = draft;
  const mentions = useMentionList(text, fieldRef);
  const { attach, isReading } = useAttachments(images, (loaded) =>
    onDraft((before) => ({ ...before, images: [...before.images, ...loaded] })),
  );
  useFieldHeight(fieldRef, text);
  useSummons(fieldRef);
  const isTooLong = new TextEncoder().encode(text).length > TEXT_BYTES_MAX;
  const canSend = (text.trim() !== "" || images.length > 0) && !isTooLong && outage === null;

  const write = (next: string) => onDraft((before) => ({ ...before, text: next }));
  const send = () => {
    // A loading image is sent with the message, so the message waits for it.
    if (!canSend || isBusy || isReading()) return;
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
  const startMention = () => {
    const field = fieldRef.current;
    const caret = field?.selectionStart ?? text.length;
    const before = withMentionMark(text.slice(0, caret));
    write(before + text.slice(caret));
    field?.focus();
    mentions.follow(before, before.length);
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
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    void attach(files);
  };
  return (
    <div className="compose">
      {mentions.isOpen && <MentionMenu id={listId} offered={mentions.offered} at={mentions.at} onChoose={put} />}
      {onLeaveEdit && <EditNote onLeave={onLeaveEdit} />}
      <AttachedImages
        images={images}
        onRemove={(at) => onDraft((before) => ({ ...before, images: before.images.filter((_, i) => i !== at) }))}
      />
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
            onClick={startMention}
          >
            <AtSign className="s" />
          </button>
        </Tip>
        <AttachButton onFiles={(files) => void attach(files)} />
        <AgentPickers />
        <span className="grow" />
        {isBusy ? <StopButton onStop={onStop} /> : <SendButton canSend={canSend} onSend={send} />}
      </div>
    </div>
  );
}

/** Fits the height of the field to its text. */
function useFieldHeight(fieldRef: RefObject<HTMLTextAreaElement | null>, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows the text
  useLayoutEffect(() => {
    const field = fieldRef.current;
    if (field === null) return;
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight, HEIGHT_MAX_PX)}px`;
  }, [text]);
}

/** Focuses the field when the panel is asked for. */
function useSummons(fieldRef: RefObject<HTMLTextAreaElement | null>) {
  const { agent } = useWorkspace();
  const asked = useSyncExternalStore(agent.subscribe, agent.read, agent.read);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the panel may be asked for while it is open already
  useEffect(() => {
    if (agent.takeSummons()) fieldRef.current?.focus({ preventScroll: true });
  }, [agent, asked]);
}

function EditNote({ onLeave }: { onLeave: () => void }) {
  return (
    <div className="row xs t2 compose-edit">
      <Pencil className="xs" />
      <span className="grow">Editing a message. Later messages will be deleted.</span>
      <button type="button" className="link" onClick={onLeave}>
        Cancel
      </button>
    </div>
  );
}

function SendButton({ canSend, onSend }: { canSend: boolean; onSend: () => void }) {
  return (
    <button type="button" className="btn primary icon sm" aria-label="Send" aria-disabled={!canSend} onClick={onSend}>
      <ArrowUp className="s" />
    </button>
  );
}

function StopButton({ onStop }: { onStop: () => void }) {
  return (
    <>
      <Elapsed />
      <button type="button" className="btn sm danger" onClick={onStop}>
        <Square className="s" />
        Stop
      </button>
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
