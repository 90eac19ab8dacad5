"use client";

import { useRef } from "react";
import "./name-input.css";

type NameInputProps = {
  label: string;
  value: string;
  /** Default: 120. */
  maxLength?: number;
  /** Called once with the typed name, or null if the change was cancelled. */
  onDone: (typed: string | null) => void;
};

/** A name that is edited in place. Enter and losing focus keep it, Escape cancels; the extension is not selected. */
export function NameInput({ label, value, maxLength = 120, onDone }: NameInputProps) {
  const isDone = useRef(false);
  const finish = (typed: string | null) => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(typed);
  };
  return (
    <input
      className="name-input"
      aria-label={label}
      defaultValue={value}
      maxLength={maxLength}
      spellCheck={false}
      // biome-ignore lint/a11y/noAutofocus: the field appears because it was asked for
      autoFocus
      onFocus={(event) =>
        event.target.setSelectionRange(0, value.lastIndexOf(".") > 0 ? value.lastIndexOf(".") : value.length)
      }
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
      onBlur={(event) => finish(event.target.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") finish(event.currentTarget.value);
        if (event.key === "Escape") finish(null);
      }}
    />
  );
}
