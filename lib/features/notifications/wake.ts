import { createHash } from "node:crypto";
import { ObjectId } from "mongodb";
import type { JobEvent } from "@/lib/platform/process/job-events";
import { collections } from "./collections";
import type { DeliveryDoc } from "./model";

/** Asks the job runner to send deliveries. */
export const DELIVERY_QUEUED_EVENT = "notification/delivery.queued";

/** One call is asked for so many at the most, each within 10 s: far less than a call may take. */
const CALL_DELIVERIES_MAX = 20;
/** A call for what was queued so short a time ago is sure to be on its way; what is older is a sweeper's. */
const ON_ITS_WAY_MS = 20_000;

/** The data of the event: ids alone, all of one `target`. The calls for one target wait for each other. */
export type DeliveryQueued = {
  workspaceId: string;
  target: string;
  deliveryIds: string[];
  /** Until the call may send anything; absent: at once. */
  afterMs?: number;
};
/** As earlier versions have sent it: a runner may have kept such a one for a day. */
type OneDeliveryQueued = { workspaceId: string; deliveryId: string; target?: string };
export type DeliveryCall = DeliveryQueued | OneDeliveryQueued;

type Waiting = Pick<DeliveryDoc, "_id" | "workspaceId" | "target" | "attempts" | "sweeps">;
/** A delivery as it was taken, that has to be sent again after so long. */
export type Retry = { delivery: Waiting; afterMs: number };

/** What a call is for. @returns an empty target for one whose delivery is gone */
export async function readCall(call: DeliveryCall): Promise<{
  workspaceId: ObjectId;
  target: string;
  deliveryIds: ObjectId[];
}> {
  const workspaceId = new ObjectId(call.workspaceId);
  const deliveryIds = ("deliveryIds" in call ? call.deliveryIds : [call.deliveryId]).map((id) => new ObjectId(id));
  if (call.target) return { workspaceId, target: call.target, deliveryIds };
  const found = await collections.deliveries().findOne({ _id: { $in: deliveryIds }, workspaceId });
  return { workspaceId, target: found?.target ?? "", deliveryIds };
}

/**
 * Calls for all of these. Each reason to wake has an id of its own, so that the runner takes it once, and a later one
 * again.
 */
export function wakeCalls(docs: readonly Waiting[]): JobEvent[] {
  return [...Map.groupBy(docs, ({ target }) => target).values()].flatMap((ofTarget) => {
    const calls = Math.ceil(ofTarget.length / CALL_DELIVERIES_MAX);
    return Array.from({ length: calls }, (_, first) => toCall(ofTarget.filter((_, index) => index % calls === first)));
  });
}

/**
 * Calls for deliveries that were just queued. A call sends whatever else waits for its host, and looks again until nothing
 * does: one names the first of them, and none is needed where something older still waits, for which one is on its way.
 */
export async function firstCalls(docs: readonly Waiting[]): Promise<JobEvent[]> {
  const firsts = [...Map.groupBy(docs, ({ target }) => target).values()].map((ofTarget) =>
    ofTarget.toSorted((a, b) => a._id.toHexString().localeCompare(b._id.toHexString())).slice(0, CALL_DELIVERIES_MAX),
  );
  const isOnItsWay = await Promise.all(firsts.map(([first]) => first && hasOlder(first)));
  return firsts.filter((_, index) => !isOnItsWay[index]).map((first) => toCall(first));
}

async function hasOlder({ _id, workspaceId, target }: Waiting): Promise<boolean> {
  const older = {
    _id: { $lt: _id },
    workspaceId,
    target,
    status: "queued" as const,
    roundAttempts: 0,
    attempts: 0,
    sweeps: 0,
    $expr: { $gt: ["$createdAt", { $subtract: ["$$NOW", ON_ITS_WAY_MS] }] },
  };
  return (await collections.deliveries().findOne(older, { projection: { _id: 1 } })) !== null;
}

/** Calls for deliveries that have failed in a call for others. */
export function retryCalls(retries: readonly Retry[]): JobEvent[] {
  // Those that have been sent as often have the same pause, unless their receiver has asked for more.
  return [...Map.groupBy(retries, ({ afterMs }) => afterMs).values()].flatMap((ofPause) =>
    wakeCalls(ofPause.map(({ delivery }) => delivery)).map((call) => ({
      ...call,
      data: { ...call.data, afterMs: wholeSeconds(ofPause[0]?.afterMs ?? 0) },
    })),
  );
}

/** Runners sleep whole seconds. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000)) * 1000;
}

/** Calls for what a call did not come to. @param first of that; others stand behind it */
export function moreCall(first: Waiting, left: ReadonlySet<string>): JobEvent {
  const call = toCall([first]);
  const deliveryIds = [...new Set([first._id.toHexString(), ...left])];
  // Another reason than the one that it was queued for: that call may be over.
  return { ...call, id: `${call.id}:more`, data: { ...call.data, deliveryIds } };
}

function toCall(docs: readonly Waiting[]): JobEvent {
  const [first] = docs;
  if (!first) throw new Error("A call sends something.");
  const reasons = docs.map(({ _id, attempts, sweeps }) => `${_id.toHexString()}:${attempts}:${sweeps}`);
  const reason = reasons.length === 1 ? reasons[0] : createHash("sha256").update(reasons.join()).digest("hex");
  return {
    name: DELIVERY_QUEUED_EVENT,
    id: `${DELIVERY_QUEUED_EVENT}:${reason}`,
    data: {
      workspaceId: first.workspaceId.toHexString(),
      target: first.target,
      deliveryIds: docs.map(({ _id }) => _id.toHexString()),
    } satisfies DeliveryQueued,
  };
}
