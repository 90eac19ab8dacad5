import { createHash } from "node:crypto";
import { ObjectId } from "mongodb";
import type { JobEvent } from "@/lib/platform/process/job-events";
import { collections } from "./collections";
import type { DeliveryDoc } from "./model";

/** Event that asks the job runner to send deliveries. */
export const DELIVERY_QUEUED_EVENT = "notification/delivery.queued";

/** Maximum number of deliveries in one call, each of at most 10 s: far less than a call may take. */
const CALL_DELIVERIES_MAX = 20;
/** Age up to which a delivery's call is assumed to be scheduled, in ms. A sweep finds older ones after a lease. */
const ON_ITS_WAY_MS = 10_000;

/** Data of the event: only ids, all of one `target`. The calls for one target run one after the other. */
export type DeliveryQueued = {
  workspaceId: string;
  target: string;
  deliveryIds: string[];
  /** Pause before the call may send, in ms; absent for none. */
  afterMs?: number;
};
/** Data as sent by earlier versions: a runner may have kept such an event for a day. */
type OneDeliveryQueued = { workspaceId: string; deliveryId: string; target?: string };
export type DeliveryCall = DeliveryQueued | OneDeliveryQueued;

type Waiting = Pick<DeliveryDoc, "_id" | "workspaceId" | "target" | "attempts" | "work">;
/** A claimed delivery that has to be sent again after this time. */
export type Retry = { delivery: Waiting; afterMs: number };

/**
 * Reads the target and the deliveries of a call.
 * @returns an empty target if the delivery is gone
 */
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
 * Returns the calls for all of these deliveries. The id of a call contains the reason to wake, so the runner handles
 * each reason once.
 */
export function wakeCalls(docs: readonly Waiting[]): JobEvent[] {
  return [...Map.groupBy(docs, ({ target }) => target).values()].flatMap((ofTarget) => {
    const calls = Math.ceil(ofTarget.length / CALL_DELIVERIES_MAX);
    return Array.from({ length: calls }, (_, first) => toCall(ofTarget.filter((_, index) => index % calls === first)));
  });
}

/**
 * Returns the calls for newly queued deliveries. A call also sends other deliveries that wait for its host, until none
 * is left. So one call names the first of them, and none is needed if an older delivery still waits: its call is
 * scheduled already.
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
    "work.wakes": 0,
    $expr: { $gt: ["$createdAt", { $subtract: ["$$NOW", ON_ITS_WAY_MS] }] },
  };
  return (await collections.deliveries().findOne(older, { projection: { _id: 1 } })) !== null;
}

/** Returns calls for deliveries that have failed in a call for others. */
export function retryCalls(retries: readonly Retry[]): JobEvent[] {
  // Deliveries with the same number of sends have the same pause, unless their receiver asked for a longer one.
  return [...Map.groupBy(retries, ({ afterMs }) => afterMs).values()].flatMap((ofPause) =>
    wakeCalls(ofPause.map(({ delivery }) => delivery)).map((call) => ({
      ...call,
      data: { ...call.data, afterMs: wholeSeconds(ofPause[0]?.afterMs ?? 0) },
    })),
  );
}

/** Rounds up to whole seconds, which runners require. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000)) * 1000;
}

/**
 * Returns the call for deliveries that a call did not reach.
 * @param first the first of them
 */
export function moreCall(first: Waiting, left: ReadonlySet<string>): JobEvent {
  const call = toCall([first]);
  const deliveryIds = [...new Set([first._id.toHexString(), ...left])];
  // The id differs from that of the first call, which may have ended.
  return { ...call, id: `${call.id}:more`, data: { ...call.data, deliveryIds } };
}

function toCall(docs: readonly Waiting[]): JobEvent {
  const [first] = docs;
  if (!first) throw new Error("A call sends something.");
  const reasons = docs.map(({ _id, attempts, work }) => `${_id.toHexString()}:${attempts}:${work?.wakes ?? 0}`);
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
