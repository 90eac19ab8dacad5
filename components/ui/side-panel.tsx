"use client";

import { X } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import "@/components/ui/page.css";

type SidePanelProps = {
  title: string;
  /** Actions on the whole object, beside the title. */
  actions?: ReactNode;
  foot?: ReactNode;
  onClose: () => void;
  children: ReactNode;
};

/**
 * Details of one item, at the right of its list; the panel covers the list only if there is no room beside it. Escape
 * closes it and restores the focus.
 */
export function SidePanel({ title, actions, foot, onClose, children }: SidePanelProps) {
  const boxRef = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    boxRef.current?.focus();
    return () => {
      // The previously focused element may be gone.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    // Layers above the panel close first.
    if (document.querySelector('[role="dialog"],[role="menu"],[role="listbox"]')) return;
    onClose();
  });
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <aside ref={boxRef} className="side-panel" aria-label={title} tabIndex={-1} data-region>
      <div className="side-panel-head">
        <h2 className="trunc grow">{title}</h2>
        {actions}
        <button type="button" className="btn ghost icon sm" aria-label="Close" onClick={onClose}>
          <X />
        </button>
      </div>
      <div className="side-panel-body">{children}</div>
      {foot && <div className="side-panel-foot">{foot}</div>}
    </aside>
  );
}
