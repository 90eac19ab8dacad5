import "server-only";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { type Caller, isReadOnly } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { findPage } from "@/lib/platform/db/find-page";
import { AppError } from "@/lib/platform/http/errors";
import type { Page } from "@/lib/platform/http/paging";
import { LIST_LIMIT_DEFAULT } from "@/lib/platform/http/schema";
import { log } from "@/lib/platform/log";
import { metrics } from "@/lib/platform/metrics/metrics";
import { serverMember } from "@/lib/platform/process/server-context";
import { afterRequests } from "@/lib/platform/process/shutdown";
import type { QueuePlace } from "./admission";
import { collections } from "./collections";
import { claimExecutionId, usedBefore, writeNow, writeSoon } from "./history-writer";
import { HISTORY_TEXT_CHARS } from "./limits";
import {
  type ExecutionDoc,
  type ExecutionStatus,
  type QueryOrigin,
  type RunItem,
  SHAREABLE_ORIGINS,
  type ShareableOrigin,
} from "./model";
import type { Execution } from "./schema";

/** Time after which a running query is written, in ms, so that others see it and may cancel it. */
const FIRST_WRITE_AFTER_MS = 250;
/** Interval at which a server checks whether another one was asked to cancel one of its queries, in ms. */
const CANCEL_POLL_MS = 1000;
/** Interval of the search for long queries, in ms. With the time until they are written, it stays within a second. */
const LOOK_FOR_LONG_EVERY_MS = 250;
/** Time that queries cut off by a shutdown get to end, in ms. */
const LAST_ENDS_TIMEOUT_MS = 1000;
const LAST_ENDS_POLL_MS = 10;
const UNFINISHED: ExecutionStatus[] = ["queued", "running"];

type Running = {
  doc: ExecutionDoc;
  isWritten: boolean;
  cancel: () => void;
  /** Null unless it waits in the queue. */
  readPlace: (() => QueuePlace | null) | null;
};
export type Executions = {
  /** Running queries by workspace and execution id: two workspaces may use the same id. */
  running: Map<string, Running>;
  look: NodeJS.Timeout | null;
  polledAt: number;
  isPolling: boolean;
  isAtShutdown: boolean;
};

/** Returns the ids that the caller may see now. Routes supply one per kind, because these domains import this one. */
export type FindVisible = (caller: Caller, ids: ObjectId[]) => Promise<ReadonlySet<string>>;
export type OriginVisibility = Record<ShareableOrigin, FindVisible>;

export type ExecutionStart = Pick<ExecutionDoc, "connectionId" | "queryText" | "format"> & {
  origin: QueryOrigin;
  /** Id chosen by the client; absent: a new one. */
  executionId: string | undefined;
  /** Called when a user cancels the query, here or through another server. */
  cancel: () => void;
};

export type ExecutionEnd = {
  status: Exclude<ExecutionStatus, "queued" | "running">;
  durationMs: number;
  rowCount: number | null;
  affectedRows: number | null;
  error: string | null;
};

/** Record of one query in history. Nothing here makes the query wait. */
export type ExecutionRecord = {
  executionId: string;
  /** @param readPlace returns the query's place in the queue */
  queued(readPlace: () => QueuePlace | null): void;
  running(): void;
  /** Replaces the text of the query. */
  describe(queryText: string): void;
  end(outcome: ExecutionEnd): void;
};

/**
 * Registers a query, so that it can be cancelled and appears in history. An id from the client is claimed in the store.
 * A generated id is unique, so it needs no write.
 * @throws AppError `conflict` when the id was used before in this workspace, on any server
 */
export async function startExecution(
  { workspaceId, user, via }: Caller,
  start: ExecutionStart,
  now = new Date(),
): Promise<ExecutionRecord> {
  const { cancel, executionId = randomUUID(), ...facts } = start;
  const claim = keyOf(workspaceId, executionId);
  const doc: ExecutionDoc = {
    _id: new ObjectId(),
    executionId,
    ...facts,
    workspaceId,
    userId: user._id,
    claim,
    ...(via.kind === "job" && { runId: via.runId }),
    queryText: facts.queryText.slice(0, HISTORY_TEXT_CHARS),
    status: "queued",
    startedAt: now,
    completedAt: null,
    durationMs: null,
    rowCount: null,
    affectedRows: null,
    error: null,
  };
  const isClaimed = start.executionId !== undefined;
  if (isClaimed) {
    if (shared().running.has(claim)) throw usedBefore();
    await claimExecutionId(doc);
  }
  const { running } = shared();
  const entry: Running = { doc, isWritten: isClaimed, cancel, readPlace: null };
  running.set(claim, entry);
  watchRunning();
  const change = (news: Partial<ExecutionDoc>) => {
    Object.assign(doc, news);
    if (entry.isWritten) writeSoon(doc);
  };
  return {
    executionId,
    queued: (readPlace) => {
      entry.readPlace = readPlace;
    },
    running: () => change({ status: "running" }),
    describe: (queryText) => change({ queryText: queryText.slice(0, HISTORY_TEXT_CHARS) }),
    end({ status, durationMs, rowCount, affectedRows, error }) {
      running.delete(claim);
      entry.isWritten = true;
      metrics().queries.inc({ outcome: status });
      metrics().querySeconds.observe({ outcome: status }, durationMs / 1000);
      change({ status, durationMs, rowCount, affectedRows, error, completedAt: new Date(now.getTime() + durationMs) });
    },
  };
}

/**
 * Cancels a query of the workspace, whichever server runs it.
 * @throws AppError `not_found` for an id that is unknown, another workspace's, of a query that has ended or, for a
 *   member, another user's
 */
export async function cancelExecution(whoever: Caller, executionId: string): Promise<void> {
  // Cancelling another user's query would be a change.
  const caller: Caller = isReadOnly(whoever) ? { ...whoever, role: "member" } : whoever;
  const here = shared().running.get(keyOf(caller.workspaceId, executionId));
  if (here && isInReach(here.doc, caller)) {
    here.cancel();
    return;
  }
  // A query that has just ended here may still be running in the store.
  await writeNow();
  const { matchedCount } = await collections
    .executions()
    .updateOne({ ...reachOf(caller), executionId, status: { $in: UNFINISHED } }, { $set: { cancelRequested: true } });
  if (matchedCount === 0) throw new AppError("not_found", "Query not found or no longer running.");
}

/**
 * Returns the history of the workspace that the caller may see, newest first.
 * @param cursor the `nextCursor` of the previous page
 * @throws AppError `invalid_request` for an invalid cursor
 */
export async function listExecutions(
  caller: Caller,
  { limit = LIST_LIMIT_DEFAULT, cursor }: { limit?: number; cursor?: string },
  visibility: OriginVisibility,
): Promise<Page<Execution>> {
  // Lets a user find a query that has just run.
  await writeNow();
  const page = { limit, ...(cursor !== undefined && { cursor }) };
  const found = await findPage(collections.executions(), reachOf(caller), page, { order: "newest" }, (doc) => doc);
  return { ...found, items: await toExecutions(caller, found.items, visibility) };
}

/**
 * Returns one query of the workspace, including one that is running or not written yet.
 * @throws AppError `not_found` for an id that is unknown, another workspace's or, for a member, another user's
 */
export async function getExecution(
  caller: Caller,
  executionId: string,
  visibility: OriginVisibility,
): Promise<Execution> {
  const here = shared().running.get(keyOf(caller.workspaceId, executionId))?.doc;
  // A query that has just ended here may not be written yet.
  if (!here) await writeNow();
  const doc =
    here && isInReach(here, caller)
      ? here
      : await collections.executions().findOne({ ...reachOf(caller), executionId }, { sort: { _id: -1 } });
  const [found] = doc ? await toExecutions(caller, [doc], visibility) : [];
  if (!found) throw new AppError("not_found", "Query not found.");
  return found;
}

/** Returns the filter of every look-up: members see their own queries, admins all of the workspace's. */
function reachOf({ workspaceId, user, role }: Caller): { workspaceId: ObjectId; userId?: ObjectId } {
  return { workspaceId, ...(!isAtLeast(role, "admin") && { userId: user._id }) };
}

function isInReach({ workspaceId, userId }: ExecutionDoc, caller: Caller): boolean {
  const reach = reachOf(caller);
  return workspaceId.equals(reach.workspaceId) && (reach.userId === undefined || userId.equals(reach.userId));
}

/**
 * Returns queries as the caller may read them. The text, and the error that may repeat it, are visible to the user who
 * ran the query and to others who can see its origin. An origin is checked twice. Its state when the query ran counts,
 * because a text that was private stays private. Its current state counts, so that an item that was made private or
 * deleted for good is hidden.
 */
async function toExecutions(caller: Caller, docs: ExecutionDoc[], visibility: OriginVisibility): Promise<Execution[]> {
  const isOwn = ({ userId }: ExecutionDoc) => userId.equals(caller.user._id);
  const needed = docs.map((doc) => (isOwn(doc) ? [] : itemsBehind(doc.origin)));
  const visible = new Map(
    await Promise.all(
      SHAREABLE_ORIGINS.map(async (kind) => {
        const ids = needed.flatMap((items) => items?.flatMap((item) => (item.kind === kind ? [item.id] : [])) ?? []);
        return [kind, await visibility[kind](caller, ids)] as const;
      }),
    ),
  );
  return docs.map((doc, index) => {
    const items = needed[index] ?? null;
    const isVisible = items?.every(({ kind, id }) => visible.get(kind)?.has(id.toHexString())) === true;
    return toExecution(doc, isVisible);
  });
}

/** Returns the items that must be visible to read the text of a query; null if only its user may read it. */
function itemsBehind(origin: QueryOrigin | undefined): { kind: ShareableOrigin; id: ObjectId }[] | null {
  // Its origin is the connection, which is visible to the whole workspace.
  if (origin?.kind === "adhoc") return [];
  if (!origin || !isShareable(origin)) return null;
  const behind = [origin, ...(origin.console ? [{ kind: "console" as const, ...origin.console }] : [])];
  return behind.some(({ isPrivate }) => isPrivate) ? null : behind;
}

function isShareable(origin: QueryOrigin): origin is QueryOrigin & RunItem & { kind: ShareableOrigin } {
  return (SHAREABLE_ORIGINS as readonly string[]).includes(origin.kind);
}

function toExecution(doc: ExecutionDoc, hasText: boolean): Execution {
  const { origin } = doc;
  return {
    executionId: doc.executionId,
    connectionId: doc.connectionId.toHexString(),
    userId: doc.userId.toHexString(),
    runId: doc.runId?.toHexString() ?? null,
    origin: origin ? { kind: origin.kind, id: hasText ? (origin.id?.toHexString() ?? null) : null } : null,
    query: hasText ? doc.queryText : null,
    status: doc.status,
    queue: shared().running.get(keyOf(doc.workspaceId, doc.executionId))?.readPlace?.() ?? null,
    startedAt: doc.startedAt.toISOString(),
    completedAt: doc.completedAt?.toISOString() ?? null,
    durationMs: doc.durationMs,
    rowCount: doc.rowCount,
    affectedRows: doc.affectedRows ?? null,
    error: hasText ? doc.error : null,
    format: doc.format,
  };
}

/** Watches running queries: writes long ones, and cancels those for which another server received a request. */
function watchRunning(): void {
  const state = shared();
  if (!state.isAtShutdown) {
    state.isAtShutdown = true;
    afterRequests(endWhatRuns);
  }
  if (state.look) return;
  state.polledAt = performance.now();
  state.look = setInterval(() => {
    if (state.running.size === 0 && state.look) {
      clearInterval(state.look);
      state.look = null;
      return;
    }
    writeLong(state);
    const now = performance.now();
    if (state.isPolling || now - state.polledAt < CANCEL_POLL_MS) return;
    state.polledAt = now;
    state.isPolling = true;
    cancelAsAsked(state)
      .catch((error: unknown) => log.warn({ err: error }, "failed to read cancellation requests"))
      .finally(() => {
        state.isPolling = false;
      });
  }, LOOK_FOR_LONG_EVERY_MS).unref();
}

function writeLong({ running }: Executions): void {
  const latest = Date.now() - FIRST_WRITE_AFTER_MS;
  for (const entry of running.values()) {
    if (entry.isWritten || entry.doc.startedAt.getTime() > latest) continue;
    entry.isWritten = true;
    writeSoon(entry.doc);
  }
}

async function cancelAsAsked({ running }: Executions): Promise<void> {
  const written = [...running.values()].filter((entry) => entry.isWritten);
  if (written.length === 0) return;
  const asked = await collections
    .executions()
    .find({ _id: { $in: written.map(({ doc }) => doc._id) }, cancelRequested: true }, { projection: { claim: 1 } })
    .toArray();
  for (const { claim } of asked) running.get(claim ?? "")?.cancel();
}

/** Ends the records of queries that a shutdown has cut: they must not stay running in history. */
async function endWhatRuns(): Promise<void> {
  const { running } = shared();
  for (const { cancel } of running.values()) cancel();
  const until = performance.now() + LAST_ENDS_TIMEOUT_MS;
  while (running.size > 0 && performance.now() < until) await sleep(LAST_ENDS_POLL_MS);
  for (const { doc } of running.values()) {
    writeSoon(Object.assign(doc, { status: "cancelled", error: "The server stopped.", completedAt: new Date() }));
  }
  await writeNow();
}

function keyOf(workspaceId: ObjectId, executionId: string): string {
  return `${workspaceId.toHexString()}:${executionId}`;
}

const shared = serverMember("executions", () => ({
  running: new Map(),
  look: null,
  polledAt: 0,
  isPolling: false,
  isAtShutdown: false,
}));
