import "server-only";
import type { ObjectId } from "mongodb";
import type { DataSource, Load, RejectedRow } from "@/lib/connections/data-source";
import { inTransaction } from "@/lib/db/transaction";
import type { RunDoc } from "@/lib/runs/model";
import type { Batch, Field, WireValue } from "@/lib/tabular/fields";
import { collections } from "./collections";
import { REJECTED_ROWS_MAX } from "./limits";
import { requireLoad } from "./loads";
import type { FlowDoc, FlowEventDoc } from "./model";
import type { Progress } from "./progress";
import { queueForNobody } from "./runs";
import { KNOWN_MS } from "./webhook-store";

/** docs/flows.md: a run takes so many events at the most. */
const BATCH_EVENTS = 500;
const BATCH_BYTES = 8 * 1024 * 1024;
/** After a run that failed; each failure doubles it. */
const RETRY_MS = 30_000;
const RETRY_MS_MAX = 3_600_000;
/** A digit more, and a double may not hold it. */
const LONG_NUMBER = /\d{16}/;

/** What a row of a webhook flow has. */
const COLUMNS: Field[] = [
  { name: "event_id", type: "string", dbType: "" },
  { name: "received_at", type: "timestamptz", dbType: "" },
  { name: "payload", type: "json", dbType: "" },
];

type Way = { destination: DataSource; progress: Progress; signal: AbortSignal };

/**
 * Writes the oldest events that wait: a batch of them, in one piece. A batch keeps its events and its name until it is
 * written, whichever run does it, so that the destination knows it.
 */
export async function moveEvents(flow: FlowDoc, run: RunDoc, way: Way): Promise<void> {
  const events = await takeBatch(flow, run._id);
  await way.progress.set(0, { status: "running", total: events.length }, "now");
  if (events.length > 0) await writeBatch(flow, run._id, events, way);
  await way.progress.set(0, { status: "done" }, "now");
}

async function takeBatch({ _id: flowId, workspaceId }: FlowDoc, runId: ObjectId): Promise<FlowEventDoc[]> {
  const waiting = { workspaceId, flowId, isPending: true } as const;
  const events = () => collections.flowEvents();
  const begun = await events().findOne({ ...waiting, batchId: { $exists: true } });
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
    await events().updateMany({ ...waiting, _id: { $in: ids } }, { $set: { batchId: runId } });
  }
  return events()
    .find({ ...waiting, batchId: begun?.batchId ?? runId })
    .sort({ _id: 1 })
    .toArray();
}

async function writeBatch(
  flow: FlowDoc,
  runId: ObjectId,
  events: FlowEventDoc[],
  { destination, progress, signal }: Way,
): Promise<void> {
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
  const rejected = isWritten(load, batchId) ? [] : await writeEvents(load, events, batchId);
  await load.finish();
  await progress.log(
    rejected.map(({ row, column, message }) => ({
      level: "warn",
      text: `Event ${nameOf(events[row])}${column === null ? "" : `, ${column}`} was refused: ${message}`,
    })),
  );
  await settle(flow, runId, events, rejected);
  const counts = { read: events.length, written: events.length - rejected.length, skipped: 0, failed: rejected.length };
  await progress.set(0, { counts }, "now");
}

/** The batch was written, and whoever wrote it could not say so any more. */
function isWritten({ state }: Load, batchId: string): boolean {
  const position = state.position as { batch?: string } | null;
  return state.isResumed && position?.batch === batchId;
}

async function writeEvents(load: Load, events: FlowEventDoc[], batchId: string): Promise<RejectedRow[]> {
  const { rejected } = await load.write(toRows(events), {
    position: { batch: batchId },
    rejectsMax: REJECTED_ROWS_MAX,
  });
  return rejected;
}

/** What is written waits no more; what was refused is kept for a while, for whoever looks into it. */
async function settle(
  { _id, workspaceId }: FlowDoc,
  runId: ObjectId,
  events: FlowEventDoc[],
  rejected: RejectedRow[],
): Promise<void> {
  const refused = new Set(rejected.map(({ row }) => events[row]?._id.toHexString()));
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

/** A run of events has failed: its destination is not asked again with every event that comes. */
export async function postponeEvents(workspaceId: ObjectId, _id: ObjectId): Promise<void> {
  const hook = await collections
    .flowWebhooks()
    .findOneAndUpdate({ _id, workspaceId }, { $inc: { failures: 1 } }, { returnDocument: "after" });
  if (!hook) return;
  const waitMs = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** Math.min(hook.failures - 1, 10));
  await collections
    .flowWebhooks()
    .updateOne({ _id, workspaceId }, [{ $set: { retryAt: { $add: ["$$NOW", waitMs] } } }]);
}

/** Queues a run for the events of a flow that wait, unless one is under way, the flow is off, or it is too soon. */
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

/** The same for every flow: whoever should have done it may have died. Any number of servers may do so at once. */
export async function queuePendingEvents(): Promise<void> {
  const waiting = collections.flowWebhooks().find({ pendingBytes: { $gt: 0 } }, { projection: { workspaceId: 1 } });
  for await (const { _id, workspaceId } of waiting) await queuePendingOf(workspaceId, _id);
}

function toRows(events: FlowEventDoc[]): Batch {
  return {
    rowCount: events.length,
    columns: [
      events.map(nameOf),
      events.map(({ receivedAt }) => receivedAt.toISOString()),
      events.map(({ payload = "null" }) => readPayload(payload)),
    ],
  };
}

/** Its own id, or ours where the sender gives none. */
function nameOf(event: FlowEventDoc | undefined): string {
  return event?.eventId ?? event?._id.toHexString() ?? "";
}

/** As results write numbers: those that a double does not hold are texts. */
function readPayload(payload: string): WireValue {
  if (!LONG_NUMBER.test(payload)) return JSON.parse(payload);
  type Context = { source?: string };
  const revive = (_: string, value: unknown, context?: Context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? context?.source
      : value;
  return JSON.parse(payload, revive as Parameters<typeof JSON.parse>[1]);
}
