"use client";

import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { useStore } from "zustand";
import { connectivity } from "@/lib/platform/browser/connectivity";

const never = () => () => {};

/** Returns whether the device has an Apple keyboard; false on the server and while hydrating. */
export function useIsApple(): boolean {
  return useSyncExternalStore(never, isApple, () => false);
}

/** Returns true once the page is hydrated: the browser's storage can be read. */
export function useIsAwake(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/** Time reserved for the page's first requests and the user's first actions. */
const SETTLED_AFTER_MS = 3000;
let isSettled = false;

/** Returns true a while after the first page was opened: parts for later can be loaded. */
export function useIsSettled(): boolean {
  return useSyncExternalStore(
    untilSettled,
    () => isSettled,
    () => false,
  );
}

function untilSettled(listener: () => void): () => void {
  const timer = setTimeout(() => {
    isSettled = true;
    listener();
  }, SETTLED_AFTER_MS);
  return () => clearTimeout(timer);
}

/** Returns whether a media query matches; false on the server and while hydrating, so that both render the same. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(
    subscribe,
    () => matchMedia(query).matches,
    () => false,
  );
}

/** Phones: one pane at a time (docs/develop/design.md, Phones). */
export function useIsPhone(): boolean {
  return useMediaQuery("(max-width: 640px)");
}

export function useConnectivity() {
  return useStore(connectivity);
}

/** Returns why the server cannot be reached, as a sentence without its full stop; null if it can. */
export function useOutage(): string | null {
  const state = useConnectivity();
  return state.isOnline ? null : OUTAGE_WORDS[state.lacks];
}

const OUTAGE_WORDS = { network: "You are offline", server: "The server is unreachable" } as const;

/**
 * Returns the time of the last contact with an unreachable server, in milliseconds since 1970; null while it is
 * reachable.
 */
export function useStaleSince(): number | null {
  const state = useConnectivity();
  return state.isOnline ? null : state.since;
}

/**
 * Returns the time, updated every `everyMs` while `isOn`; null before the first tick. Reading it in an effect keeps
 * rendering pure.
 */
export function useNow(isOn: boolean, everyMs: number): number | null {
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => {
    if (!isOn) {
      setNow(null);
      return;
    }
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [isOn, everyMs]);
  return now;
}

/** Returns whether the keyboard has a Command key. Only for the browser. */
export function isApple(): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform);
}
