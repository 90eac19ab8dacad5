"use client";

import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";

type Message = { text: string; isUrgent: boolean; turn: number };

const message = createStore<Message>(() => ({ text: "", isUrgent: false, turn: 0 }));

/**
 * Announces a text to screen readers.
 * @param isUrgent for failures of an action that the user just started; everything else is announced politely
 */
export function announce(text: string, isUrgent = false): void {
  message.setState(({ turn }) => ({ text, isUrgent, turn: turn + 1 }));
}

/** The page's polite and assertive live regions. A repeated text gets an unread mark, so that it is announced again. */
export function LiveRegion() {
  const { text, isUrgent, turn } = useStore(message);
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
