import { AppError } from "@/lib/http/errors";
import { sharedState } from "@/lib/process/shared-state";
import { CONNECTION_QUERIES_MAX, WORKSPACE_QUERIES_MAX, WORKSPACE_QUEUE_MAX } from "./limits";

/** A place becomes free when a query ends; most end within this. */
const RETRY_AFTER_SECONDS = 5;

type Waiter = { connectionId: string; enter: () => void };
type Desk = { running: number; byConnection: Map<string, number>; queue: Waiter[] };

/**
 * Waits for a place to run a query: ten at once in a workspace, five on a connection, fifty in line behind them
 * (docs/api.md, Settings). First come, first served; who waits for a busy connection does not hold up the others.
 * @returns the function that gives the place back; calling it again does nothing
 * @throws AppError `rate_limited` when the line is full; the signal's reason when it aborts while waiting
 */
export async function admit(workspaceId: string, connectionId: string, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted();
  const desks = sharedState("query-admission", () => new Map<string, Desk>());
  const desk = desks.get(workspaceId) ?? { running: 0, byConnection: new Map<string, number>(), queue: [] };
  desks.set(workspaceId, desk);
  if (hasPlace(desk, connectionId)) take(desk, connectionId);
  else await waitInLine(desk, connectionId, signal);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    give(desk, connectionId);
    if (desk.running === 0 && desk.queue.length === 0) desks.delete(workspaceId);
  };
}

function waitInLine(desk: Desk, connectionId: string, signal: AbortSignal): Promise<void> {
  if (desk.queue.length >= WORKSPACE_QUEUE_MAX) {
    throw new AppError("rate_limited", "Too many queries of this workspace are waiting. Try again in a moment.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  return new Promise((resolve, reject) => {
    const leave = () => {
      desk.queue.splice(desk.queue.indexOf(waiter), 1);
      reject(signal.reason);
    };
    const waiter: Waiter = {
      connectionId,
      enter: () => {
        signal.removeEventListener("abort", leave);
        resolve();
      },
    };
    desk.queue.push(waiter);
    signal.addEventListener("abort", leave, { once: true });
  });
}

function hasPlace(desk: Desk, connectionId: string): boolean {
  return desk.running < WORKSPACE_QUERIES_MAX && (desk.byConnection.get(connectionId) ?? 0) < CONNECTION_QUERIES_MAX;
}

function take(desk: Desk, connectionId: string): void {
  desk.running += 1;
  desk.byConnection.set(connectionId, (desk.byConnection.get(connectionId) ?? 0) + 1);
}

function give(desk: Desk, connectionId: string): void {
  desk.running -= 1;
  const left = (desk.byConnection.get(connectionId) ?? 1) - 1;
  if (left > 0) desk.byConnection.set(connectionId, left);
  else desk.byConnection.delete(connectionId);
  const next = desk.queue.findIndex((waiter) => hasPlace(desk, waiter.connectionId));
  if (next < 0) return;
  const [waiter] = desk.queue.splice(next, 1);
  if (!waiter) return;
  // Taken on behalf of the one in line, before anybody new can come in between.
  take(desk, waiter.connectionId);
  waiter.enter();
}
