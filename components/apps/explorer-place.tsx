"use client";

import { type ReactNode, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";

/*
 * Slot in the explorer while an app is edited. The layout renders the slot, and the page that knows its content renders
 * into it.
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

/** Slot in the area's explorer. */
export function ExplorerPlace() {
  return <div ref={setPlace} className="explorer-place" />;
}

/** Renders its children into the explorer; renders nothing while the explorer is closed. */
export function InExplorer({ children }: { children: ReactNode }) {
  const element = useSyncExternalStore(
    subscribe,
    () => place,
    () => null,
  );
  return element && createPortal(children, element);
}
