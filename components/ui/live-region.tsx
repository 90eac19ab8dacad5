"use client";

import { useSyncExternalStore } from "react";

type Message = { text: string; isUrgent: boolean; turn: number };

const SILENT: Message = { text: "", isUrgent: false, turn: 0 };
let message = SILENT;
const listeners = new Set<() => void>();

/**
 * Announces a text to screen readers.
 * @param isUrgent for failures of an action that the user just started; everything else is announced politely
 */
export function announce(text: string, isUrgent = false): void {
  message = { text, isUrgent, turn: message.turn + 1 };
  for (const listener of listeners) listener();
}

/** The page's polite and assertive live regions. A repeated text gets an unread mark, so that it is announced again. */
export function LiveRegion() {
  const { text, isUrgent, turn } = useSyncExternalStore(
    subscribe,
    () => message,
    () => SILENT,
  );
  const words = turn % 2 === 0 ? text : `${text}\u00a0`;
  return (
    <>
      <div className="sr-only" role="status" aria-live="polite">
        {isUrgent ? "" : words}
      </div>
      <div className="sr-only" role="alert" aria-live="assertive">
        {isUrgent ? words : ""}
      </div>
    </>
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
