"use client";

import { type ReactNode, useEffect } from "react";
import { ConsoleBar, PhoneHead } from "@/components/consoles/console-head";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { useFindConnection } from "@/components/schema/use-schema";
import { Keys } from "@/components/ui/keys";
import { useIsPhone } from "@/components/ui/use-browser";
import type { Console } from "@/lib/features/consoles/schema";
import "@/components/consoles/consoles.css";

type SavedViewProps = {
  open: OpenConsole;
  /** As in "History of orders.sql". */
  title: string;
  icon: ReactNode;
  /** Explains why to save the console, while it is unsaved. */
  unsaved: string;
  children: (saved: Console) => ReactNode;
};

/** This view has no editor, so no one is typing in it. */
const NOBODY: [] = [];

/** View of a console besides its text, under the console's head; only saved consoles have it. */
export function SavedView({ open, title, icon, unsaved, children }: SavedViewProps) {
  const isPhone = useIsPhone();
  const { save } = useConsoleActions();
  const connection = useFindConnection()(open.connectionId) ?? null;
  useEffect(() => {
    document.title = `${title}: ${open.name} - Millrace`;
  }, [title, open.name]);
  return (
    <div className="console" role="tabpanel" id="console-panel" aria-labelledby={`tab-${open.id}`}>
      {isPhone ? (
        <PhoneHead draft={open} connection={null} editing={NOBODY} />
      ) : (
        <ConsoleBar draft={open} connection={connection} editing={NOBODY} />
      )}
      {open.saved ? (
        children(open.saved)
      ) : (
        <div className="bench-empty">
          <div className="empty">
            <span className="empty-mark">{icon}</span>
            <h2>Not saved yet</h2>
            <p>{unsaved}</p>
            <div className="row">
              <button type="button" className="btn primary" onClick={() => void save(open.id)}>
                Save console
                <Keys keys="mod+s" />
              </button>
            </div>
          </div>
        </div>
      )}
    </div>
  );
}
