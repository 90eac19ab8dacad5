"use client";

import { useEffect } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";

/*
 * Slot at the right of the work, which usually holds the agent: one panel at a time. A panel that opens there hides the
 * agent, and frees the slot when it closes.
 */

const slot = createStore<{ takers: symbol[]; host: HTMLElement | null }>(() => ({ takers: [], host: null }));

/**
 * Occupies the slot while mounted. @returns the element to render into; null until it exists, and for all but the last
 * taker
 */
export function useSideSlot(taker: symbol): HTMLElement | null {
  useEffect(() => {
    slot.setState(({ takers }) => ({ takers: [...takers, taker] }));
    return () => slot.setState(({ takers }) => ({ takers: takers.filter((each) => each !== taker) }));
  }, [taker]);
  return useStore(slot, ({ takers, host }) => (takers.at(-1) === taker ? host : null));
}

/** Returns whether a panel occupies the slot. */
export function useIsSideTaken(): boolean {
  return useStore(slot, ({ takers }) => takers.length > 0);
}

/** Sets the slot's element; for the frame, which contains it. */
export function setSideHost(element: HTMLElement | null): void {
  slot.setState({ host: element });
}
