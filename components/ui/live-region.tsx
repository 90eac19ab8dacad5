"use client";

import { useSyncExternalStore } from "react";

type Message = { text: string; isUrgent: boolean; turn: number };

const SILENT: Message = { text: "", isUrgent: false, turn: 0 };
let message = SILENT;
const listeners = new Set<() => void>();

/**
 * Says something to people who listen to the page rather than see it.
 * @param isUrgent for failures of what the person has just started; everything else waits its turn
 */
export function announce(text: string, isUrgent = false): void {
  message = { text, isUrgent, turn: message.turn + 1 };
  for (const listener of listeners) listener();
}

/** The page's one polite and one assertive region. The same words said twice get a mark that is not read, so that both are heard. */
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
