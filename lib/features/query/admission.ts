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
/** Weight of the last query in the moving average: a burst of about ten counts. */
const HELD_WEIGHT = 0.1;
/** Share of a database server's slots that are reserved for people without a running query there. */
const RESERVED_SHARE = 0.25;

/** A query that needs a slot. `queriesMax` is the maximum of its connection. */
export type Applicant = { workspaceId: string; connectionId: string; userId: string; queriesMax?: number | undefined };
/** A query in a slot. `since` is the time of its start, of `performance.now()`. */
type Running = Applicant & { since: number };
type Waiter = { applicant: Applicant; enter: (running: Running) => void };
export type Places = {
  running: Set<Running>;
  queue: Waiter[];
  /** Moving average of the time that a query holds a slot, in ms, by connection. */
  heldMs: Map<string, number>;
  /** Orders of the queue by connection, or by `ALL`, until the queries change. */
  orders: Map<string, QueueOrder>;
};
/** Positions of queued queries from 1, the number of slots they wait for, and the mean start of the queries in these. */
type QueueOrder = { positions: ReadonlyMap<Waiter, number>; slots: number; sinceMean: number };
/** Stands for all connections, whose queries wait for the same slots when the workspace has none left. */
const ALL = "";
/** The place of a queued query. */
export type QueuePlace = { position: number; expectedWaitMs: number };

/**
 * Waits for a slot to run a query: forty at once in a workspace, and as many on a connection as its driver allows
 * (docs/develop/api.md, Settings). A free slot goes to the person with the fewest running queries; among equals the
 * first in the queue. A quarter of a database server's slots is for people without a query there, so that one person's long
 * queries never take all. A queue for a busy connection does not hold up the others.
 * @param onQueued receives a function that returns the query's place while it waits
 * @returns the function that frees the slot; calling it again does nothing
 * @throws AppError `rate_limited` when the queue is full; the signal's reason when it aborts while waiting
 */
export async function admit(
  applicant: Applicant,
  signal: AbortSignal,
  onQueued?: (readPlace: () => QueuePlace | null) => void,
): Promise<() => void> {
  signal.throwIfAborted();
  const { workspaceId, connectionId } = applicant;
  const workspaces = admitted();
  const places = workspaces.get(workspaceId) ?? {
    running: new Set<Running>(),
    queue: [],
    heldMs: new Map(),
    orders: new Map(),
  };
  workspaces.set(workspaceId, places);
  // The limit of the connection may have changed: a query that came earlier is not overtaken.
  for (const waiter of places.queue) {
    if (waiter.applicant.connectionId === connectionId) waiter.applicant.queriesMax = applicant.queriesMax;
  }
  while (enterNext(places));
  const own = hasPlace(places, applicant)
    ? enter(places, applicant)
    : await waitInLine(places, applicant, signal, onQueued);
  return () => {
    if (!places.running.delete(own)) return;
    places.orders.clear();
    const [held, before] = [performance.now() - own.since, places.heldMs.get(connectionId)];
    places.heldMs.set(connectionId, before === undefined ? held : before + HELD_WEIGHT * (held - before));
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

/** Takes a slot, with a new object, since one person may run several queries. */
function enter({ running, orders }: Places, applicant: Applicant): Running {
  const own = { ...applicant, since: performance.now() };
  orders.clear();
  running.add(own);
  return own;
}

function waitInLine(
  places: Places,
  applicant: Applicant,
  signal: AbortSignal,
  onQueued?: (readPlace: () => QueuePlace | null) => void,
): Promise<Running> {
  const { queue, orders } = places;
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
      orders.clear();
      reject(signal.reason);
    };
    const waiter: Waiter = {
      applicant,
      enter: (running) => {
        signal.removeEventListener("abort", leave);
        resolve(running);
      },
    };
    queue.push(waiter);
    orders.clear();
    onQueued?.(() => placeOf(places, waiter));
    signal.addEventListener("abort", leave, { once: true });
  });
}

function hasPlace({ running }: Places, { connectionId, userId, queriesMax = CONNECTION_QUERIES_MAX }: Applicant) {
  const here = [...running].filter((other) => other.connectionId === connectionId);
  const isFirst = here.every((other) => other.userId !== userId);
  const reserved = isFirst || queriesMax <= CONNECTION_QUERIES_MAX ? 0 : Math.floor(queriesMax * RESERVED_SHARE);
  return running.size < WORKSPACE_QUERIES_MAX && here.length < queriesMax - reserved;
}

/** @returns whether a queued query got a slot */
function enterNext(places: Places): boolean {
  const { running, queue } = places;
  const countOf = ({ userId }: Applicant) => [...running].filter((other) => other.userId === userId).length;
  const ready = queue.filter(({ applicant }) => hasPlace(places, applicant));
  const counts = new Map(ready.map((waiter) => [waiter, countOf(waiter.applicant)]));
  const fewest = Math.min(...counts.values());
  const next = ready.find((waiter) => counts.get(waiter) === fewest);
  if (!next) return false;
  queue.splice(queue.indexOf(next), 1);
  // Taken for the queued query now, so that no new one gets in between.
  next.enter(enter(places, next.applicant));
  return true;
}

/**
 * Returns the place of a queued query; null when it has left the queue. The expected wait takes the average time of the
 * connection's queries, or that of the running ones if they already take longer.
 */
function placeOf(places: Places, waiter: Waiter): QueuePlace | null {
  const { connectionId } = waiter.applicant;
  const scope = places.running.size >= WORKSPACE_QUERIES_MAX ? ALL : connectionId;
  const order = places.orders.get(scope) ?? toOrder(places, scope);
  places.orders.set(scope, order);
  const position = order.positions.get(waiter);
  if (position === undefined) return null;
  const eachMs = Math.max(places.heldMs.get(connectionId) ?? 0, performance.now() - order.sinceMean);
  return { position, expectedWaitMs: Math.round((position * eachMs) / order.slots) };
}

/** Computes the order in which queued queries are taken, if the running ones end in the order of their start. */
function toOrder({ running, queue }: Places, scope: string): QueueOrder {
  const isNear = (each: Applicant) => scope === ALL || each.connectionId === scope;
  // Sets and arrays here are in the order of their start.
  const rivals = [...running].filter(isNear);
  const slots = Math.max(1, rivals.length);
  const ending: Applicant[] = [...rivals];
  const waiting = queue.filter(({ applicant }) => isNear(applicant));
  const counts = new Map<string, number>();
  const count = ({ userId }: Applicant, by: number) => counts.set(userId, (counts.get(userId) ?? 0) + by);
  for (const each of running) count(each, 1);
  const runningOf = ({ applicant: { userId } }: Waiter) => counts.get(userId) ?? 0;
  const positions = new Map<Waiter, number>();
  while (waiting.length > 0) {
    const ended = ending.shift();
    if (ended) count(ended, -1);
    const next = waiting.reduce((best, each) => (runningOf(each) < runningOf(best) ? each : best));
    waiting.splice(waiting.indexOf(next), 1);
    positions.set(next, positions.size + 1);
    ending.push(next.applicant);
    count(next.applicant, 1);
  }
  const sinceMean = rivals.length > 0 ? rivals.reduce((sum, { since }) => sum + since, 0) / slots : performance.now();
  return { positions, slots, sinceMean };
}
