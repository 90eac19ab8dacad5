"use client";

import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { readConnectivity, readServerConnectivity, subscribeConnectivity } from "@/lib/platform/browser/connectivity";

const never = () => () => {};

/** False on the server and while hydrating, then whether this is Apple's keyboard. */
export function useIsApple(): boolean {
  return useSyncExternalStore(never, isApple, () => false);
}

/** True once the page is awake in a browser: what is kept there can be read. */
export function useIsAwake(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/** What a page asks for first, and what a person does first, has the line and the server for itself for so long. */
const SETTLED_AFTER_MS = 3000;
let isSettled = false;

/** True a while after the first page was opened: what may be needed later can be fetched. */
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

/** Whether a media query holds; false on the server and while hydrating, so that both draw the same. */
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
  return useSyncExternalStore(subscribeConnectivity, readConnectivity, readServerConnectivity);
}

/** Why nothing can be asked of the server now, as a sentence without its point; null while something can. */
export function useOutage(): string | null {
  const connectivity = useConnectivity();
  return connectivity.isOnline ? null : OUTAGE_WORDS[connectivity.lacks];
}

const OUTAGE_WORDS = { network: "You are offline", server: "The server cannot be reached" } as const;

/** The time of the last word of the server while it cannot be reached, in milliseconds since 1970; null while it can. */
export function useStaleSince(): number | null {
  const connectivity = useConnectivity();
  return connectivity.isOnline ? null : connectivity.since;
}

/** The time, renewed every `everyMs` while `isOn`; null before the first tick. Reading it in an effect keeps rendering pure. */
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

/** Keyboards with a Command key. In a browser alone. */
export function isApple(): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform);
}
