"use client";

import { useEffect, useSyncExternalStore } from "react";

/*
 * The place at the right of the work, where the agent stands: one panel at a time. What opens there puts the agent away,
 * and gives the place back when it closes.
 */

let takers: symbol[] = [];
let host: HTMLElement | null = null;
const listeners = new Set<() => void>();

/** Takes the place while it is mounted. @returns the element to draw into; null until it is there, and for all but the last */
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

/** Whether a panel has the place. */
export function useIsSideTaken(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => takers.length > 0,
    () => false,
  );
}

/** For the frame, which has the place. */
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
