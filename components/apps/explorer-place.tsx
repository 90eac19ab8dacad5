"use client";

import { type ReactNode, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";

/*
 * The place of the explorer while an app is edited. The frame around the pages draws the place, and the page that knows
 * what belongs there draws into it.
 */

let place: HTMLElement | null = null;
const listeners = new Set<() => void>();

function setPlace(element: HTMLElement | null): void {
  place = element;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** For the explorer of the area. */
export function ExplorerPlace() {
  return <div ref={setPlace} className="explorer-place" />;
}

/** Draws into the explorer; nothing while it is not there. */
export function InExplorer({ children }: { children: ReactNode }) {
  const element = useSyncExternalStore(
    subscribe,
    () => place,
    () => null,
  );
  return element && createPortal(children, element);
}
