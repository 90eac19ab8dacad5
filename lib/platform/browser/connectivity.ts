import { createStore } from "zustand/vanilla";

/** Whether the server is reachable, as far as this page knows. Times are milliseconds since 1970. */
export type Connectivity =
  | { isOnline: true; retryAt: null }
  | {
      isOnline: false;
      /** Whether this machine has no network, or only the server does not respond. */
      lacks: "network" | "server";
      /** Shown data is at most as recent as this. */
      since: number;
      retryAt: number;
    };

/** Time until the next try, in ms; short enough that users do not reload the page. */
export const RETRY_AFTER_MS = 8000;

const ONLINE: Connectivity = { isOnline: true, retryAt: null };

/** On the server, and before hydration: online. */
export const connectivity = createStore<Connectivity>(() => ONLINE);
export const { getState: readConnectivity, subscribe: subscribeConnectivity } = connectivity;
let outages = 0;

/** Returns the number of the last outage: a request remembers it, so that its answer can be told from newer ones. */
export function lastOutage(): number {
  return outages;
}

/**
 * Reports that a request reached the server. A request that was sent before the connection was lost proves nothing.
 * @param sentAfter the last outage when it was sent
 */
export function reportReachable(sentAfter = outages): void {
  if (!readConnectivity().isOnline && sentAfter === outages) connectivity.setState(ONLINE, true);
}

/**
 * Reports that a request did not reach the server, or that the browser is offline.
 * @param heardAt last time of contact with the server, if it is earlier
 */
export function reportUnreachable(now = Date.now(), heardAt = now): void {
  const state = readConnectivity();
  const since = state.isOnline ? heardAt : state.since;
  if (state.isOnline) outages += 1;
  const lacks = typeof navigator !== "undefined" && navigator.onLine === false ? "network" : "server";
  connectivity.setState({ isOnline: false, lacks, since, retryAt: now + RETRY_AFTER_MS }, true);
}
