"use client";

import { useEffect, useSyncExternalStore } from "react";

/*
 * Slot at the right of the work, which usually holds the agent: one panel at a time. A panel that opens there hides the
 * agent, and frees the slot when it closes.
 */

let takers: symbol[] = [];
let host: HTMLElement | null = null;
const listeners = new Set<() => void>();

/**
 * Occupies the slot while mounted. @returns the element to render into; null until it exists, and for all but the last
 * taker
 */
export function useSideSlot(taker: symbol): HTMLElement | null {
  useEffect(() => {
    takers = [...takers, taker];
    notify();
    return () => {
      takers = takers.filter((each) => each !== taker);
      notify();
    };
  }, [taker]);
  const isLast = useSyncExternalStore(
    subscribe,
    () => takers.at(-1) === taker,
    () => false,
  );
  const element = useSyncExternalStore(
    subscribe,
    () => host,
    () => null,
  );
  return isLast ? element : null;
}

/** Returns whether a panel occupies the slot. */
export function useIsSideTaken(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => takers.length > 0,
    () => false,
  );
}

/** Sets the slot's element; for the frame, which contains it. */
export function setSideHost(element: HTMLElement | null): void {
  host = element;
  notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
