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

type Listener = () => void;
const ONLINE: Connectivity = { isOnline: true, retryAt: null };

let state: Connectivity = ONLINE;
let outages = 0;
const listeners = new Set<Listener>();

export function readConnectivity(): Connectivity {
  return state;
}

/** Returns the state on the server, and before hydration: online. */
export function readServerConnectivity(): Connectivity {
  return ONLINE;
}

export function subscribeConnectivity(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the number of the last outage: a request remembers it, so that its answer can be told from newer ones. */
export function lastOutage(): number {
  return outages;
}

/**
 * Reports that a request reached the server. A request that was sent before the connection was lost proves nothing.
 * @param sentAfter the last outage when it was sent
 */
export function reportReachable(sentAfter = outages): void {
  if (!state.isOnline && sentAfter === outages) update(ONLINE);
}

/**
 * Reports that a request did not reach the server, or that the browser is offline.
 * @param heardAt last time of contact with the server, if it is earlier
 */
export function reportUnreachable(now = Date.now(), heardAt = now): void {
  const since = state.isOnline ? heardAt : state.since;
  if (state.isOnline) outages += 1;
  const lacks = typeof navigator !== "undefined" && navigator.onLine === false ? "network" : "server";
  update({ isOnline: false, lacks, since, retryAt: now + RETRY_AFTER_MS });
}

function update(next: Connectivity): void {
  state = next;
  for (const listener of listeners) listener();
}
