import { serverMember } from "@/lib/platform/process/server-context";

const listeners = serverMember("eventListeners", () => new Set<() => void>());

/** Wakes the readers after this server wrote events, so that they need not wait for the next poll. */
export function wakeTellers(): void {
  for (const listener of listeners()) listener();
}

/** @returns a function that unsubscribes */
export function onWake(listener: () => void): () => void {
  listeners().add(listener);
  return () => listeners().delete(listener);
}
