import "server-only";
import { ObjectId } from "mongodb";
import { AppError } from "@/lib/http/errors";
import { LIST_LIMIT_DEFAULT } from "@/lib/http/schema";
import { log } from "@/lib/log";
import { sharedState } from "@/lib/process/shared-state";
import { collections } from "./collections";
import { HISTORY_TEXT_CHARS } from "./limits";
import type { ExecutionDoc, ExecutionStatus } from "./model";
import type { Execution } from "./schema";

/** A query that ends within this is written to history once, when it is over. */
const FIRST_WRITE_AFTER_MS = 250;
/** How often a server looks whether another one was asked to cancel a query of its own. */
const CANCEL_POLL_MS = 1000;
const UNFINISHED: ExecutionStatus[] = ["queued", "running"];

type Running = { id: ObjectId; workspaceId: string; cancel: () => void };
type Shared = { running: Map<string, Running>; writes: Set<Promise<unknown>>; poll: NodeJS.Timeout | null };

export type ExecutionStart = Pick<
  ExecutionDoc,
  "executionId" | "workspaceId" | "connectionId" | "userId" | "queryText" | "format"
> & {
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
  const { running } = shared();
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
  running.set(start.executionId, { id: doc._id, workspaceId: doc.workspaceId.toHexString(), cancel });
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
      write(doc, { status, durationMs, rowCount, error, completedAt: new Date(now.getTime() + durationMs) });
    },
  };
}

/**
 * Cancels a query of the workspace, whichever server runs it.
 * @throws AppError `not_found` for an id that is unknown, another workspace's, or of a query that is over
 */
export async function cancelExecution(workspaceId: ObjectId, executionId: string): Promise<void> {
  const here = shared().running.get(executionId);
  if (here?.workspaceId === workspaceId.toHexString()) {
    here.cancel();
    return;
  }
  const { matchedCount } = await collections
    .executions()
    .updateOne({ workspaceId, executionId, status: { $in: UNFINISHED } }, { $set: { cancelRequested: true } });
  if (matchedCount === 0) throw new AppError("not_found", "No query with this id is running in this workspace.");
}

/**
 * History of the workspace, newest first.
 * @param cursor the `nextCursor` of the page before
 * @throws AppError `invalid_request` for a cursor that was not given out
 */
export async function listExecutions(
  workspaceId: ObjectId,
  { limit = LIST_LIMIT_DEFAULT, cursor }: { limit?: number; cursor?: string } = {},
): Promise<{ items: Execution[]; nextCursor: string | null }> {
  if (cursor !== undefined && !/^[0-9a-f]{24}$/.test(cursor)) {
    throw new AppError("invalid_request", "The cursor is not one of ours. Start again from the first page.", {
      details: [{ path: "cursor", message: "Send the nextCursor of the page before." }],
    });
  }
  const docs = await collections
    .executions()
    .find({ workspaceId, ...(cursor && { _id: { $lt: new ObjectId(cursor) } }) })
    .sort({ _id: -1 })
    .limit(limit + 1)
    .toArray();
  const items = docs.slice(0, limit);
  const last = items.at(-1);
  return { items: items.map(toExecution), nextCursor: docs.length > limit && last ? last._id.toHexString() : null };
}

/** Resolves when all that is known has been written; for the server's end and for tests. */
export async function executionsWritten(): Promise<void> {
  while (shared().writes.size > 0) await Promise.allSettled(shared().writes);
}

function toExecution(doc: ExecutionDoc): Execution {
  return {
    executionId: doc.executionId,
    connectionId: doc.connectionId.toHexString(),
    userId: doc.userId.toHexString(),
    query: doc.queryText,
    status: doc.status,
    startedAt: doc.startedAt.toISOString(),
    completedAt: doc.completedAt?.toISOString() ?? null,
    durationMs: doc.durationMs,
    rowCount: doc.rowCount,
    error: doc.error,
    format: doc.format,
  };
}

/** Writes the whole record by its id: whichever of two writes comes first, the later state stays. */
function write(doc: ExecutionDoc, change: Partial<ExecutionDoc>): void {
  const { _id, ...start } = doc;
  Object.assign(doc, change);
  const onInsert = Object.fromEntries(Object.entries(start).filter(([name]) => !(name in change)));
  // A late "running" must not undo an end.
  const filter = change.status === "running" ? { _id, status: "queued" as const } : { _id };
  const isUpsert = change.status !== "running";
  collect(
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
function collect(work: Promise<unknown>): void {
  const { writes } = shared();
  const settled = work.catch((error: unknown) => {
    log.warn({ err: error }, "query history could not be written");
  });
  writes.add(settled);
  settled.finally(() => writes.delete(settled));
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
  const ids = [...running.values()].map((each) => each.id);
  const asked = await collections
    .executions()
    .find({ _id: { $in: ids }, cancelRequested: true }, { projection: { executionId: 1 } })
    .toArray();
  for (const { executionId } of asked) running.get(executionId)?.cancel();
}

function shared(): Shared {
  return sharedState("executions", () => ({ running: new Map(), writes: new Set(), poll: null }));
}
