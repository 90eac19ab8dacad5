"use client";

import { type RefObject, useState } from "react";
import { type Mentionable, useMentionables } from "@/components/agent/use-mentions";
import { findMention, type TextRange } from "@/lib/features/agent/browser/mentions";

/** Returns the names that match the mention being typed, with the selected one. */
export function useMentionList(text: string, fieldRef: RefObject<HTMLTextAreaElement | null>) {
  const find = useMentionables();
  const [range, setRange] = useState<TextRange | null>(null);
  const [at, setAt] = useState(0);
  const typed = range ? text.slice(range.from + 1, range.to) : "";
  const offered = range ? find(typed) : [];
  const follow = (value: string, caret: number) => {
    setAt(0);
    setRange(findMention(value, caret));
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
