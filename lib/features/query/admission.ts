import { AppError } from "@/lib/platform/http/errors";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { serverMember } from "@/lib/platform/process/server-context";
import {
  CONNECTION_QUERIES_MAX,
  LARGE_ANSWERS_MAX,
  PERSON_QUEUE_MAX,
  WORKSPACE_QUERIES_MAX,
  WORKSPACE_QUEUE_MAX,
} from "./limits";

/** Time after which to retry: most queries end and free their slot within it. */
const RETRY_AFTER_SECONDS = 5;
/** Share of a database server's slots that are reserved for people without a running query there. */
const RESERVED_SHARE = 0.25;

/** A query that needs a slot. `queriesMax` is the maximum of its connection. */
export type Applicant = { workspaceId: string; connectionId: string; userId: string; queriesMax?: number | undefined };
type Waiter = { applicant: Applicant; enter: () => void };
export type Places = { running: Set<Applicant>; queue: Waiter[] };

/**
 * Waits for a slot to run a query: forty at once in a workspace, and as many on a connection as its driver allows
 * (docs/develop/api.md, Settings). A free slot goes to the person with the fewest running queries; among equals the
 * first in the queue. A quarter of a database server's slots is for people without a query there, so that one person's long
 * queries never take all. A queue for a busy connection does not hold up the others.
 * @returns the function that frees the slot; calling it again does nothing
 * @throws AppError `rate_limited` when the queue is full; the signal's reason when it aborts while waiting
 */
export async function admit(applicant: Applicant, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted();
  const { workspaceId } = applicant;
  const workspaces = admitted();
  const places = workspaces.get(workspaceId) ?? { running: new Set<Applicant>(), queue: [] };
  workspaces.set(workspaceId, places);
  // A new object, since one person may run several queries.
  const own = { ...applicant };
  if (hasPlace(places, own)) places.running.add(own);
  else await waitInLine(places, own, signal);
  return () => {
    if (!places.running.delete(own)) return;
    enterNext(places);
    if (places.running.size === 0 && places.queue.length === 0) workspaces.delete(workspaceId);
  };
}

/**
 * Waits for a place to hold a large response. A query that holds one needs nothing else, so all of them end.
 * @returns the function that frees the place; calling it again does nothing
 * @throws the signal's reason when it aborts while waiting
 */
export async function admitLargeAnswer(workspaceId: string, signal: AbortSignal): Promise<() => void> {
  const workspaces = largeAnswers();
  const places = workspaces.get(workspaceId) ?? new Semaphore(LARGE_ANSWERS_MAX, WORKSPACE_QUERIES_MAX);
  workspaces.set(workspaceId, places);
  const forget = () => {
    if (places.isIdle) workspaces.delete(workspaceId);
  };
  try {
    const release = await places.acquire(signal);
    return () => {
      release();
      forget();
    };
  } catch (error) {
    forget();
    throw error;
  }
}

/** Returns how many queries run and wait on this server. */
export function queryLoad(): { running: number; waiting: number } {
  let [running, waiting] = [0, 0];
  for (const places of admitted().values()) {
    running += places.running.size;
    waiting += places.queue.length;
  }
  return { running, waiting };
}

const largeAnswers = serverMember("largeAnswers", () => new Map<string, Semaphore>());
const admitted = serverMember("queryAdmission", () => new Map<string, Places>());

function waitInLine(places: Places, applicant: Applicant, signal: AbortSignal): Promise<void> {
  const { queue } = places;
  const ofPerson = queue.filter((waiter) => waiter.applicant.userId === applicant.userId).length;
  if (queue.length >= WORKSPACE_QUEUE_MAX || ofPerson >= PERSON_QUEUE_MAX) {
    const whose = ofPerson >= PERSON_QUEUE_MAX ? "You have too many queued queries" : "Too many queued queries";
    throw new AppError("rate_limited", `${whose} in this workspace. Try again in a moment.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  return new Promise((resolve, reject) => {
    const leave = () => {
      queue.splice(queue.indexOf(waiter), 1);
      reject(signal.reason);
    };
    const waiter: Waiter = {
      applicant,
      enter: () => {
        signal.removeEventListener("abort", leave);
        resolve();
      },
    };
    queue.push(waiter);
    signal.addEventListener("abort", leave, { once: true });
  });
}

function hasPlace({ running }: Places, { connectionId, userId, queriesMax = CONNECTION_QUERIES_MAX }: Applicant) {
  const here = [...running].filter((other) => other.connectionId === connectionId);
  const isFirst = here.every((other) => other.userId !== userId);
  const reserved = isFirst || queriesMax <= CONNECTION_QUERIES_MAX ? 0 : Math.floor(queriesMax * RESERVED_SHARE);
  return running.size < WORKSPACE_QUERIES_MAX && here.length < queriesMax - reserved;
}

function enterNext(places: Places): void {
  const { running, queue } = places;
  const countOf = ({ userId }: Applicant) => [...running].filter((other) => other.userId === userId).length;
  const ready = queue.filter(({ applicant }) => hasPlace(places, applicant));
  const counts = new Map(ready.map((waiter) => [waiter, countOf(waiter.applicant)]));
  const fewest = Math.min(...counts.values());
  const next = ready.find((waiter) => counts.get(waiter) === fewest);
  if (!next) return;
  queue.splice(queue.indexOf(next), 1);
  // Taken for the queued query now, so that no new one gets in between.
  running.add(next.applicant);
  next.enter();
}
