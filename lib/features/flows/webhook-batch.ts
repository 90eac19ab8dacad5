import "server-only";
import { ObjectId } from "mongodb";
import type { Field, WireValue } from "@/lib/base/values/fields";
import { jsonText } from "@/lib/base/values/json-text";
import type { DataSource, Load, RejectedRow } from "@/lib/features/connections/data-source";
import type { RunDoc } from "@/lib/features/runs/model";
import { inTransaction } from "@/lib/platform/db/transaction";
import { AppError } from "@/lib/platform/http/errors";
import { backoffMs } from "@/lib/platform/work/durable-work";
import { toPosition, writtenOf } from "./batch-position";
import { collections } from "./collections";
import { readStoredEvent } from "./event-body";
import { requireLoad } from "./loads";
import type { FlowDoc, FlowEventDoc } from "./model";
import type { Progress } from "./progress";
import { queueForNobody } from "./runs";
import { cutText, KNOWN_MS } from "./webhook-store";

/** Maximum number of events that one run writes (docs/develop/flows.md). */
const BATCH_EVENTS = 500;
const BATCH_BYTES = 8 * 1024 * 1024;
/** Pause after a failed run, in ms; each failure doubles it. */
const RETRY_MS = 30_000;
const RETRY_MS_MAX = 3_600_000;
/** Maximum length of the destination's reason for rejecting an event. */
const REASON_CHARS_MAX = 300;

/** Columns of a webhook flow's table. */
const COLUMNS: Field[] = [
  { name: "event_id", type: "string", dbType: "" },
  { name: "received_at", type: "timestamptz", dbType: "" },
  { name: "payload", type: "json", dbType: "" },
];

type Way = { destination: DataSource; progress: Progress; signal: AbortSignal };

/**
 * Writes the oldest waiting events as one batch. A batch keeps its events and its name until it is written, by any run,
 * so that the destination recognises it.
 */
export async function moveEvents(flow: FlowDoc, run: RunDoc, way: Way): Promise<void> {
  const events = await takeBatch(flow);
  await way.progress.set(0, { status: "running", total: events.length }, "now");
  if (events.length > 0 && !(await writeBatch(flow, run._id, events, way))) return moveEvents(flow, run, way);
  await way.progress.set(0, { status: "done" }, "now");
}

async function takeBatch({ _id: flowId, workspaceId }: FlowDoc): Promise<FlowEventDoc[]> {
  const waiting = { workspaceId, flowId, isPending: true } as const;
  const events = () => collections.flowEvents();
  const begun = await events().findOne({ ...waiting, batchId: { $exists: true } });
  // A new name for each batch, not the run's: a run that a crash interrupts after its batch starts again with the next
  // events, which the destination must not take for those it already has.
  const batchId = begun?.batchId ?? new ObjectId();
  if (!begun) {
    const oldest = await events()
      .find(waiting, { projection: { bytes: 1 } })
      .sort({ _id: 1 })
      .limit(BATCH_EVENTS)
      .toArray();
    let bytes = 0;
    const taken = oldest.filter((event, index) => {
      bytes += event.bytes;
      return index === 0 || bytes <= BATCH_BYTES;
    });
    const ids = taken.map(({ _id }) => _id);
    // Another run may have taken some of them in the meantime: an event never changes its batch.
    await events().updateMany({ ...waiting, _id: { $in: ids }, batchId: { $exists: false } }, { $set: { batchId } });
  }
  return events()
    .find({ ...waiting, batchId })
    .sort({ _id: 1 })
    .toArray();
}

/** @returns false if the events were released instead, because their batch's name is another batch's */
async function writeBatch(
  flow: FlowDoc,
  runId: ObjectId,
  events: FlowEventDoc[],
  { destination, progress, signal }: Way,
): Promise<boolean> {
  const batchId = events[0]?.batchId?.toHexString() ?? "";
  const { table = "events", schema, write } = flow.destination;
  const load = await requireLoad(destination)({
    table: { name: table, ...(schema !== undefined && { schema }) },
    columns: COLUMNS,
    mode: write,
    primaryKey: write === "upsert" ? ["event_id"] : [],
    load: `flow:${flow._id.toHexString()}:events`,
    run: batchId,
    visible: "batch",
    signal,
  });
  // Earlier versions named batches after runs. A finished load has written its whole batch, so these are other events.
  if (load.state.isFinished && writtenOf(load.state, batchId, events.length).at < events.length) {
    await releaseBatch(flow, events);
    return false;
  }
  const refused = await writeEvents(load, events, batchId).catch(async (error: unknown) => {
    // Nothing was written. The next run may include newer events, which distinguishes a bad event from a bad
    // destination.
    if (isRefusal(error) && writtenOf(load.state, batchId, events.length).at === 0) await releaseBatch(flow, events);
    throw error;
  });
  await load.finish();
  await progress.log(
    refused.map(({ row, column, message }) => ({
      level: "warn",
      text: `Event ${nameOf(events[row])}${column === null ? "" : `, ${column}`} was rejected: ${message}`,
    })),
  );
  await settle(flow, runId, events, refused);
  const counts = { read: events.length, written: events.length - refused.length, skipped: 0, failed: refused.length };
  await progress.set(0, { counts }, "now");
  return true;
}

/**
 * Writes the remaining events of a batch: together, or one by one if the destination rejects them without naming a row,
 * so that one bad event fails alone.
 * @throws AppError the destination's error for all of them
 */
async function writeEvents(load: Load, events: FlowEventDoc[], batch: string): Promise<RejectedRow[]> {
  const known = writtenOf(load.state, batch, events.length);
  const refused = known.refused.map((row): RejectedRow => ({ row, column: null, message: REFUSED_BEFORE }));
  const rows = events.flatMap((event, row) => {
    if (row < known.at) return [];
    try {
      return [{ row, cells: toCells(event) }];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push({ row, column: "payload", message: error.message });
      return [];
    }
  });
  const write = async (some: typeof rows, at: number) => {
    const position = toPosition(batch, { at, refused: refused.map(({ row }) => row) }, events.length);
    const columns = COLUMNS.map((_, index) => some.map(({ cells }) => cells[index] ?? null));
    const { rejected } = await load.write({ rowCount: some.length, columns }, { position, rejectsMax: some.length });
    for (const each of rejected) refused.push({ ...each, row: some[each.row]?.row ?? 0 });
  };
  if (known.at >= events.length) return refused;
  try {
    await write(rows, events.length);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    let failed = 0;
    for (const each of rows) {
      try {
        await write([each], each.row + 1);
      } catch (alone) {
        if (!isRefusal(alone)) throw alone;
        failed += 1;
        refused.push({ row: each.row, column: null, message: alone.message });
      }
    }
    if (failed === rows.length) throw error;
    await write([], events.length);
  }
  return refused.sort((a, b) => a.row - b.row);
}

const REFUSED_BEFORE = "The destination rejected it in an interrupted run.";

/** Returns whether the statement itself failed, without the destination naming rows. */
function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === "query_failed";
}

async function releaseBatch({ _id, workspaceId }: FlowDoc, events: FlowEventDoc[]): Promise<void> {
  const _ids = events.map((event) => event._id);
  await collections
    .flowEvents()
    .updateMany({ workspaceId, flowId: _id, isPending: true, _id: { $in: _ids } }, { $unset: { batchId: true } });
}

/** Marks written events as processed, and keeps rejected ones for a while, for troubleshooting. */
async function settle(
  { _id, workspaceId }: FlowDoc,
  runId: ObjectId,
  events: FlowEventDoc[],
  rejected: RejectedRow[],
): Promise<void> {
  const reasons = new Map(rejected.map(({ row, message }) => [events[row]?._id.toHexString(), message]));
  const refused = new Set(reasons.keys());
  const bytes = events.reduce((sum, event) => sum + event.bytes, 0);
  const idsOf = (isRefused: boolean) =>
    events.filter((event) => refused.has(event._id.toHexString()) === isRefused).map((event) => event._id);
  const forgetAt = new Date(Date.now() + KNOWN_MS);
  await inTransaction(async (session) => {
    for (const isRefused of [false, true]) {
      await collections.flowEvents().updateMany(
        { workspaceId, flowId: _id, isPending: true, _id: { $in: idsOf(isRefused) } },
        {
          $set: { forgetAt, runId, ...(isRefused && { isFailed: true }) },
          $unset: isRefused ? { isPending: true } : { isPending: true, payload: true },
        },
        { session },
      );
    }
    for (const event of events) {
      const reason = reasons.get(event._id.toHexString());
      if (reason === undefined) continue;
      const place = { _id: event._id, workspaceId, flowId: _id };
      await collections
        .flowEvents()
        .updateOne(place, { $set: { reason: cutText(reason, REASON_CHARS_MAX) } }, { session });
    }
    await collections.flowWebhooks().updateOne(
      { _id, workspaceId },
      {
        $inc: { processed: events.length - refused.size, failed: refused.size, pendingBytes: -bytes },
        $set: { failures: 0, retryAt: null },
      },
      { session },
    );
  });
}

/** Delays the next run after a failure, so that not every new event starts one. */
export async function postponeEvents(workspaceId: ObjectId, _id: ObjectId): Promise<void> {
  const hook = await collections
    .flowWebhooks()
    .findOneAndUpdate({ _id, workspaceId }, { $inc: { failures: 1 } }, { returnDocument: "after" });
  if (!hook) return;
  const waitMs = backoffMs(hook.failures, RETRY_MS, RETRY_MS_MAX);
  await collections
    .flowWebhooks()
    .updateOne({ _id, workspaceId }, [{ $set: { retryAt: { $add: ["$$NOW", waitMs] } } }]);
}

/**
 * Queues a run for the waiting events of a flow, unless a run is active, the flow is disabled, or the backoff has not
 * passed.
 */
export async function queuePendingOf(workspaceId: ObjectId, flowId: ObjectId): Promise<void> {
  const isDue = { $or: [{ retryAt: null }, { $expr: { $lte: ["$retryAt", "$$NOW"] } }] };
  const hook = await collections.flowWebhooks().findOne({ _id: flowId, workspaceId, ...isDue });
  if (!hook) return;
  const [flow, waiting] = await Promise.all([
    collections.flows().findOne({ _id: flowId, workspaceId }),
    collections.flowEvents().countDocuments({ workspaceId, flowId, isPending: true }, { limit: 1 }),
  ]);
  if (flow?.type !== "webhook" || !flow.enabled || waiting === 0) return;
  await queueForNobody(flow, "webhook");
}

/**
 * Does the same for every flow, in case the server that should have done it has crashed. Any number of servers may do
 * so concurrently.
 */
export async function queuePendingEvents(): Promise<void> {
  const waiting = collections.flowWebhooks().find({ pendingBytes: { $gt: 0 } }, { projection: { workspaceId: 1 } });
  for await (const { _id, workspaceId } of waiting) await queuePendingOf(workspaceId, _id);
}

/** @throws AppError `invalid_request` for a stored payload that is not JSON within the limits of a body */
function toCells(event: FlowEventDoc): WireValue[] {
  const { receivedAt, payload = "null" } = event;
  return [nameOf(event), receivedAt.toISOString(), jsonText(readStoredEvent(payload))];
}

/** Returns the sender's id, or a generated one. */
function nameOf(event: FlowEventDoc | undefined): string {
  return event?.eventId ?? event?._id.toHexString() ?? "";
}
