import { useEffect, useEffectEvent, useRef } from "react";
import { useConnectivity } from "@/components/ui/use-browser";
import { ApiError } from "@/lib/platform/browser/request";

/** First wait before a retry. A restarting server is back within seconds. */
const FIRST_WAIT_MS = 2000;
/** Longest wait between retries, for requests that a proxy with a short timeout cuts off repeatedly. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Retries after a response that did not arrive, while the page is visible: a wall screen has no user. Requests that the
 * server refused are not retried.
 * @param error of the newest request, a distinct object for each; null once a request has succeeded
 */
export function useAgainWhenLost(error: unknown, again: () => void): void {
  const { isOnline } = useConnectivity();
  const ask = useEffectEvent(() => document.visibilityState === "visible" && again());
  const last = useRef({ error: null as unknown, waitMs: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: being offline is not an input, and a retry starts when it changes.
  useEffect(() => {
    const isAnother = error !== last.current.error;
    // A change of connectivity is not another failure.
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
