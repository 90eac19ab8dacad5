import { sharedState } from "@/lib/platform/process/shared-state";

const listeners = () => sharedState("events-doorbell", () => new Set<() => void>());

/** This server has written events: whoever tells them need not wait for the next look. */
export function wakeTellers(): void {
  for (const listener of listeners()) listener();
}

/** @returns takes the listener back */
export function onWake(listener: () => void): () => void {
  listeners().add(listener);
  return () => listeners().delete(listener);
}
