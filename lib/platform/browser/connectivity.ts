/** Whether the server can be reached, as far as this page knows. Times are milliseconds since 1970. */
export type Connectivity =
  | { isOnline: true; retryAt: null }
  | {
      isOnline: false;
      /** Whether this machine has no network, or the server alone does not answer. */
      lacks: "network" | "server";
      /** What is shown is no newer than this. */
      since: number;
      retryAt: number;
    };

/** How long to wait before asking again; short enough that nobody reloads the page meanwhile. */
export const RETRY_AFTER_MS = 8000;

type Listener = () => void;
const ONLINE: Connectivity = { isOnline: true, retryAt: null };

let state: Connectivity = ONLINE;
let outages = 0;
const listeners = new Set<Listener>();

export function readConnectivity(): Connectivity {
  return state;
}

/** On the server, and before the page is awake, nothing is known to be wrong. */
export function readServerConnectivity(): Connectivity {
  return ONLINE;
}

export function subscribeConnectivity(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Which outage was the last one: a request takes it along, so that its answer can be told from newer ones. */
export function lastOutage(): number {
  return outages;
}

/**
 * A request reached the server. One that was sent before the line was cut says nothing of now.
 * @param sentAfter the last outage when it was sent
 */
export function reportReachable(sentAfter = outages): void {
  if (!state.isOnline && sentAfter === outages) update(ONLINE);
}

/**
 * A request did not reach the server, or the browser says that it is offline.
 * @param heardAt when the server was heard last, where that is longer ago
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
