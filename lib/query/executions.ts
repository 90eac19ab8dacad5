import "server-only";
import { ObjectId } from "mongodb";
import { isAtLeast, type Role } from "@/lib/access/roles";
import type { Actor } from "@/lib/consoles/model";
import { visibleConsoleIds } from "@/lib/consoles/service";
import { AppError } from "@/lib/http/errors";
import { LIST_LIMIT_DEFAULT } from "@/lib/http/schema";
import { log } from "@/lib/log";
import { sharedState } from "@/lib/process/shared-state";
import { collections } from "./collections";
import { HISTORY_TEXT_CHARS } from "./limits";
import type { ExecutionDoc, ExecutionStatus, RunConsole } from "./model";
import type { Execution } from "./schema";

/** A query that ends within this is written to history once, when it is over. */
const FIRST_WRITE_AFTER_MS = 250;
/** How often a server looks whether another one was asked to cancel a query of its own. */
const CANCEL_POLL_MS = 1000;
const UNFINISHED: ExecutionStatus[] = ["queued", "running"];

type Running = { doc: ExecutionDoc; cancel: () => void };
type Shared = {
  running: Map<string, Running>;
  /** Queries that are over and not written yet. */
  ended: Map<string, ExecutionDoc>;
  writes: Set<Promise<unknown>>;
  poll: NodeJS.Timeout | null;
};

/** Who asks about queries, and as what: members about their own, admins about all of the workspace. */
export type Reader = Actor & { role: Role };

export type ExecutionStart = Pick<
  ExecutionDoc,
  "executionId" | "workspaceId" | "connectionId" | "userId" | "queryText" | "format"
> & {
  console: RunConsole | null;
  /** Called when somebody cancels the query, here or through another server. */
  cancel: () => void;
};

export type ExecutionEnd = {
  status: Exclude<ExecutionStatus, "queued" | "running">;
  durationMs: number;
  rowCount: number | null;
  error: string | null;
};

/** The life of one query in history. Nothing here makes the query wait. */
export type ExecutionRecord = { running(): void; end(outcome: ExecutionEnd): void };

/**
 * Makes a query known, so that it can be cancelled and shows in history.
 * @throws AppError `conflict` when a query of this id runs on this server
 */
export function startExecution(start: ExecutionStart, now = new Date()): ExecutionRecord {
  const { running, ended } = shared();
  if (running.has(start.executionId)) {
    throw new AppError("conflict", "A query with this executionId is running. Send a new id, or none.");
  }
  const { cancel, ...facts } = start;
  const doc: ExecutionDoc = {
    _id: new ObjectId(),
    ...facts,
    queryText: facts.queryText.slice(0, HISTORY_TEXT_CHARS),
    status: "queued",
    startedAt: now,
    completedAt: null,
    durationMs: null,
    rowCount: null,
    error: null,
  };
  running.set(start.executionId, { doc, cancel });
  watchForCancels();
  let isWritten = false;
  const timer = setTimeout(() => {
    isWritten = true;
    collect(collections.executions().insertOne({ ...doc }));
  }, FIRST_WRITE_AFTER_MS);
  return {
    running() {
      doc.status = "running";
      if (isWritten) write(doc, { status: "running" });
    },
    end({ status, durationMs, rowCount, error }) {
      clearTimeout(timer);
      running.delete(start.executionId);
      ended.set(start.executionId, doc);
      const completedAt = new Date(now.getTime() + durationMs);
      write(doc, { status, durationMs, rowCount, error, completedAt }).finally(() => {
        if (ended.get(start.executionId) === doc) ended.delete(start.executionId);
      });
    },
  };
}

/**
 * Cancels a query of the workspace, whichever server runs it.
 * @throws AppError `not_found` for an id that is unknown, another workspace's, of a query that is over or, for a
 *   member, of somebody else's
 */
export async function cancelExecution(reader: Reader, executionId: string): Promise<void> {
  const here = shared().running.get(executionId);
  if (here && isInReach(here.doc, reader)) {
    here.cancel();
    return;
  }
  const { matchedCount } = await collections
    .executions()
    .updateOne({ ...reachOf(reader), executionId, status: { $in: UNFINISHED } }, { $set: { cancelRequested: true } });
  if (matchedCount === 0) throw new AppError("not_found", "No query with this id is running in this workspace.");
}

/**
 * History of the workspace as far as the caller sees it, newest first.
 * @param cursor the `nextCursor` of the page before
 * @throws AppError `invalid_request` for a cursor that was not given out
 */
export async function listExecutions(
  reader: Reader,
  { limit = LIST_LIMIT_DEFAULT, cursor }: { limit?: number; cursor?: string } = {},
): Promise<{ items: Execution[]; nextCursor: string | null }> {
  if (cursor !== undefined && !/^[0-9a-f]{24}$/.test(cursor)) {
    throw new AppError("invalid_request", "The cursor is not one of ours. Start again from the first page.", {
      details: [{ path: "cursor", message: "Send the nextCursor of the page before." }],
    });
  }
  const docs = await collections
    .executions()
    .find({ ...reachOf(reader), ...(cursor && { _id: { $lt: new ObjectId(cursor) } }) })
    .sort({ _id: -1 })
    .limit(limit + 1)
    .toArray();
  const items = docs.slice(0, limit);
  const last = items.at(-1);
  return {
    items: await toExecutions(reader, items),
    nextCursor: docs.length > limit && last ? last._id.toHexString() : null,
  };
}

/**
 * One query of the workspace, also while it runs and before it is written.
 * @throws AppError `not_found` for an id that is unknown, another workspace's or, for a member, somebody else's
 */
export async function getExecution(reader: Reader, executionId: string): Promise<Execution> {
  const { running, ended } = shared();
  const here = [running.get(executionId)?.doc, ended.get(executionId)].find((doc) => doc && isInReach(doc, reader));
  const doc =
    here ?? (await collections.executions().findOne({ ...reachOf(reader), executionId }, { sort: { _id: -1 } }));
  const [found] = doc ? await toExecutions(reader, [doc]) : [];
  if (!found) throw new AppError("not_found", "There is no query with this id in this workspace.");
  return found;
}

/** Resolves when all that is known has been written; for the server's end and for tests. */
export async function executionsWritten(): Promise<void> {
  while (shared().writes.size > 0) await Promise.allSettled(shared().writes);
}

/** The filter of every look-up. */
function reachOf({ workspaceId, user, role }: Reader): { workspaceId: ObjectId; userId?: ObjectId } {
  return { workspaceId, ...(!isAtLeast(role, "admin") && { userId: user._id }) };
}

function isInReach({ workspaceId, userId }: ExecutionDoc, reader: Reader): boolean {
  const reach = reachOf(reader);
  return workspaceId.equals(reach.workspaceId) && (reach.userId === undefined || userId.equals(reach.userId));
}

/**
 * What the caller may read of queries that they may know of: not the text of others' private consoles, nor the
 * messages that may repeat it (docs/api.md, Queries). A console is judged twice: as it was when the query ran, since what
 * is shared later is its text of then; and as it is now, so that one that was made private or is gone for good is hidden.
 */
async function toExecutions(reader: Reader, docs: ExecutionDoc[]): Promise<Execution[]> {
  const isOwn = ({ userId }: ExecutionDoc) => userId.equals(reader.user._id);
  const toJudge = docs.flatMap((doc) => (!isOwn(doc) && doc.console?.isPrivate === false ? [doc.console.id] : []));
  const visible = await visibleConsoleIds(reader, toJudge);
  return docs.map((doc) => {
    if (isOwn(doc) || doc.console === null) return toExecution(doc, true);
    return toExecution(doc, doc.console?.isPrivate === false && visible.has(doc.console.id.toHexString()));
  });
}

function toExecution(doc: ExecutionDoc, hasText: boolean): Execution {
  return {
    executionId: doc.executionId,
    connectionId: doc.connectionId.toHexString(),
    userId: doc.userId.toHexString(),
    query: hasText ? doc.queryText : null,
    status: doc.status,
    startedAt: doc.startedAt.toISOString(),
    completedAt: doc.completedAt?.toISOString() ?? null,
    durationMs: doc.durationMs,
    rowCount: doc.rowCount,
    error: hasText ? doc.error : null,
    format: doc.format,
  };
}

/** Writes the whole record by its id: whichever of two writes comes first, the later state stays. */
function write(doc: ExecutionDoc, change: Partial<ExecutionDoc>): Promise<void> {
  const { _id, ...start } = doc;
  Object.assign(doc, change);
  const onInsert = Object.fromEntries(Object.entries(start).filter(([name]) => !(name in change)));
  // A late "running" must not undo an end.
  const filter = change.status === "running" ? { _id, status: "queued" as const } : { _id };
  const isUpsert = change.status !== "running";
  return collect(
    collections.executions().updateOne(
      filter,
      { $set: change, ...(isUpsert && { $setOnInsert: onInsert }) },
      {
        upsert: isUpsert,
      },
    ),
  );
}

/** History never fails a query: what cannot be written is logged. */
function collect(work: Promise<unknown>): Promise<void> {
  const { writes } = shared();
  const settled = work.then(
    () => undefined,
    (error: unknown) => log.warn({ err: error }, "query history could not be written"),
  );
  writes.add(settled);
  return settled.finally(() => writes.delete(settled));
}

function watchForCancels(): void {
  const state = shared();
  state.poll ??= setInterval(() => {
    if (state.running.size > 0) collect(cancelAsAsked(state));
    else if (state.poll) {
      clearInterval(state.poll);
      state.poll = null;
    }
  }, CANCEL_POLL_MS).unref();
}

async function cancelAsAsked({ running }: Shared): Promise<void> {
  const ids = [...running.values()].map(({ doc }) => doc._id);
  const asked = await collections
    .executions()
    .find({ _id: { $in: ids }, cancelRequested: true }, { projection: { executionId: 1 } })
    .toArray();
  for (const { executionId } of asked) running.get(executionId)?.cancel();
}

function shared(): Shared {
  return sharedState("executions", () => ({ running: new Map(), ended: new Map(), writes: new Set(), poll: null }));
}
