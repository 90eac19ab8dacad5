import { useEffect, useEffectEvent, useRef } from "react";
import { useConnectivity } from "@/components/ui/use-browser";
import { ApiError } from "@/lib/platform/browser/request";

/** A server that starts anew is there within seconds. */
const FIRST_WAIT_MS = 2000;
/** What is cut off again and again, by something between that gives up early, is not asked for all the time. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Asks again by itself after an answer that did not come, while the page is in sight: nobody presses anything on a wall.
 * What the server has refused it would refuse again.
 * @param error of the newest reading, another object for each; null once one has succeeded
 */
export function useAgainWhenLost(error: unknown, again: () => void): void {
  const { isOnline } = useConnectivity();
  const ask = useEffectEvent(() => document.visibilityState === "visible" && again());
  const last = useRef({ error: null as unknown, waitMs: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whether the line is cut is no input, and asks anew when it changes.
  useEffect(() => {
    const isAnother = error !== last.current.error;
    // The line is cut, or back: that is news, and no failure more.
    const waitMs = isAnother ? Math.min(2 * last.current.waitMs, LONGEST_WAIT_MS) : 0;
    last.current = { error, waitMs: Math.max(waitMs, FIRST_WAIT_MS) };
    if (!(error instanceof ApiError) || (error.status !== 0 && error.status < 500)) {
      last.current.waitMs = 0;
      return;
    }
    const timer = setInterval(ask, last.current.waitMs);
    return () => clearInterval(timer);
  }, [error, isOnline]);
}
