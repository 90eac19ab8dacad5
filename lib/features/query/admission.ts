import { AppError } from "@/lib/platform/http/errors";
import { serverMember } from "@/lib/platform/process/server-context";
import { CONNECTION_QUERIES_MAX, WORKSPACE_QUERIES_MAX, WORKSPACE_QUEUE_MAX } from "./limits";

/** Time after which to retry: most queries end and free their slot within it. */
const RETRY_AFTER_SECONDS = 5;

type Waiter = { connectionId: string; enter: () => void };
export type Places = { running: number; byConnection: Map<string, number>; queue: Waiter[] };

/**
 * Waits for a slot to run a query: ten at once in a workspace, five on a connection, and fifty queued
 * (docs/develop/api.md, Settings). First come, first served; a queue for a busy connection does not hold up the others.
 * @returns the function that frees the slot; calling it again does nothing
 * @throws AppError `rate_limited` when the queue is full; the signal's reason when it aborts while waiting
 */
export async function admit(workspaceId: string, connectionId: string, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted();
  const workspaces = admitted();
  const places = workspaces.get(workspaceId) ?? { running: 0, byConnection: new Map<string, number>(), queue: [] };
  workspaces.set(workspaceId, places);
  if (hasPlace(places, connectionId)) take(places, connectionId);
  else await waitInLine(places, connectionId, signal);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    give(places, connectionId);
    if (places.running === 0 && places.queue.length === 0) workspaces.delete(workspaceId);
  };
}

/** Returns how many queries run and wait on this server. */
export function queryLoad(): { running: number; waiting: number } {
  let [running, waiting] = [0, 0];
  for (const places of admitted().values()) {
    running += places.running;
    waiting += places.queue.length;
  }
  return { running, waiting };
}

const admitted = serverMember("queryAdmission", () => new Map<string, Places>());

function waitInLine(places: Places, connectionId: string, signal: AbortSignal): Promise<void> {
  if (places.queue.length >= WORKSPACE_QUEUE_MAX) {
    throw new AppError("rate_limited", "Too many queued queries in this workspace. Try again in a moment.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  return new Promise((resolve, reject) => {
    const leave = () => {
      places.queue.splice(places.queue.indexOf(waiter), 1);
      reject(signal.reason);
    };
    const waiter: Waiter = {
      connectionId,
      enter: () => {
        signal.removeEventListener("abort", leave);
        resolve();
      },
    };
    places.queue.push(waiter);
    signal.addEventListener("abort", leave, { once: true });
  });
}

function hasPlace(places: Places, connectionId: string): boolean {
  return (
    places.running < WORKSPACE_QUERIES_MAX && (places.byConnection.get(connectionId) ?? 0) < CONNECTION_QUERIES_MAX
  );
}

function take(places: Places, connectionId: string): void {
  places.running += 1;
  places.byConnection.set(connectionId, (places.byConnection.get(connectionId) ?? 0) + 1);
}

function give(places: Places, connectionId: string): void {
  places.running -= 1;
  const left = (places.byConnection.get(connectionId) ?? 1) - 1;
  if (left > 0) places.byConnection.set(connectionId, left);
  else places.byConnection.delete(connectionId);
  const next = places.queue.findIndex((waiter) => hasPlace(places, waiter.connectionId));
  if (next < 0) return;
  const [waiter] = places.queue.splice(next, 1);
  if (!waiter) return;
  // Taken for the queued query now, so that no new one gets in between.
  take(places, waiter.connectionId);
  waiter.enter();
}
