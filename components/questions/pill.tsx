"use client";

import { X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { Popover } from "@/components/ui/popover";

type PillProps = {
  /** Accessible name. */
  label: string;
  icon?: ReactNode;
  children: ReactNode;
  /** Content of the popover, which closes itself. */
  form: (close: () => void) => ReactNode;
  onRemove?: (() => void) | undefined;
  /** Moves the pill by -1 or 1. */
  onMove?: ((step: -1 | 1) => void) | undefined;
};

/** Part of a question: opens its form. Delete removes it, Alt+Up and Alt+Down move it. */
export function Pill({ label, icon, children, form, onRemove, onMove }: PillProps) {
  const [isOpen, setOpen] = useState(false);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : null;
    if (event.altKey && step !== null && onMove) onMove(step);
    else if ((event.key === "Delete" || event.key === "Backspace") && onRemove) onRemove();
    else return;
    event.preventDefault();
  };
  return (
    <span className={isOpen ? "question-pill on" : "question-pill"}>
      <Popover
        label={label}
        isOpen={isOpen}
        onOpen={setOpen}
        trigger={
          <button type="button" aria-label={label} onKeyDown={onKeyDown}>
            {icon}
            <span className="trunc">{children}</span>
          </button>
        }
      >
        {form(() => setOpen(false))}
      </Popover>
      {onRemove && (
        <button type="button" className="question-remove" aria-label={`Remove ${label}`} onClick={onRemove}>
          <X className="xs" />
        </button>
      )}
    </span>
  );
}

type AddPillProps = { label: string; icon: ReactNode; children: ReactNode; form: (close: () => void) => ReactNode };

/** Dashed pill that adds a part. */
export function AddPill({ label, icon, children, form }: AddPillProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      label={label}
      isOpen={isOpen}
      onOpen={setOpen}
      trigger={
        <button type="button" className="question-pill add" aria-label={label}>
          {icon}
          {children}
        </button>
      }
    >
      {form(() => setOpen(false))}
    </Popover>
  );
}
