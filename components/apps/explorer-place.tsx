"use client";

import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";

/*
 * Slot in the explorer while an app is edited. The layout renders the slot, and the page that knows its content renders
 * into it.
 */

const slot = createStore<{ element: HTMLElement | null }>(() => ({ element: null }));

function setPlace(element: HTMLElement | null): void {
  slot.setState({ element });
}

/** Slot in the area's explorer. */
export function ExplorerPlace() {
  return <div ref={setPlace} className="explorer-place" />;
}

/** Renders its children into the explorer; renders nothing while the explorer is closed. */
export function InExplorer({ children }: { children: ReactNode }) {
  const { element } = useStore(slot);
  return element && createPortal(children, element);
}
