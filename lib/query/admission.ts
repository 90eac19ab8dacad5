import { AppError } from "@/lib/http/errors";
import { sharedState } from "@/lib/process/shared-state";
import { CONNECTION_QUERIES_MAX, WORKSPACE_QUERIES_MAX, WORKSPACE_QUEUE_MAX } from "./limits";

/** A place becomes free when a query ends; most end within this. */
const RETRY_AFTER_SECONDS = 5;

type Waiter = { connectionId: string; enter: () => void };
type ConsoleAuthor = { running: number; byConnection: Map<string, number>; queue: Waiter[] };

/**
 * Waits for a place to run a query: ten at once in a workspace, five on a connection, fifty in line behind them
 * (docs/api.md, Settings). First come, first served; who waits for a busy connection does not hold up the others.
 * @returns the function that gives the place back; calling it again does nothing
 * @throws AppError `rate_limited` when the line is full; the signal's reason when it aborts while waiting
 */
export async function admit(workspaceId: string, connectionId: string, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted();
  const authors = sharedState("query-admission", () => new Map<string, ConsoleAuthor>());
  const author = authors.get(workspaceId) ?? { running: 0, byConnection: new Map<string, number>(), queue: [] };
  authors.set(workspaceId, author);
  if (hasPlace(author, connectionId)) take(author, connectionId);
  else await waitInLine(author, connectionId, signal);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    give(author, connectionId);
    if (author.running === 0 && author.queue.length === 0) authors.delete(workspaceId);
  };
}

function waitInLine(author: ConsoleAuthor, connectionId: string, signal: AbortSignal): Promise<void> {
  if (author.queue.length >= WORKSPACE_QUEUE_MAX) {
    throw new AppError("rate_limited", "Too many queries of this workspace are waiting. Try again in a moment.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  return new Promise((resolve, reject) => {
    const leave = () => {
      author.queue.splice(author.queue.indexOf(waiter), 1);
      reject(signal.reason);
    };
    const waiter: Waiter = {
      connectionId,
      enter: () => {
        signal.removeEventListener("abort", leave);
        resolve();
      },
    };
    author.queue.push(waiter);
    signal.addEventListener("abort", leave, { once: true });
  });
}

function hasPlace(author: ConsoleAuthor, connectionId: string): boolean {
  return (
    author.running < WORKSPACE_QUERIES_MAX && (author.byConnection.get(connectionId) ?? 0) < CONNECTION_QUERIES_MAX
  );
}

function take(author: ConsoleAuthor, connectionId: string): void {
  author.running += 1;
  author.byConnection.set(connectionId, (author.byConnection.get(connectionId) ?? 0) + 1);
}

function give(author: ConsoleAuthor, connectionId: string): void {
  author.running -= 1;
  const left = (author.byConnection.get(connectionId) ?? 1) - 1;
  if (left > 0) author.byConnection.set(connectionId, left);
  else author.byConnection.delete(connectionId);
  const next = author.queue.findIndex((waiter) => hasPlace(author, waiter.connectionId));
  if (next < 0) return;
  const [waiter] = author.queue.splice(next, 1);
  if (!waiter) return;
  // Taken on behalf of the one in line, before anybody new can come in between.
  take(author, waiter.connectionId);
  waiter.enter();
}
