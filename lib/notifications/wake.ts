import { createHash } from "node:crypto";
import type { JobEvent } from "@/lib/process/job-events";
import { SENDS_PER_TARGET } from "./limits";
import type { DeliveryDoc } from "./model";

/** Asks the job runner to send deliveries. */
export const DELIVERY_QUEUED_EVENT = "notification/delivery.queued";

/** One call sends so many after each other at the most, each within 10 s: far less than a call may take. */
const CALL_DELIVERIES_MAX = 20;

/** The data of the event: ids alone, all of one `target`. Those of one target wait for each other. */
export type DeliveryQueued = { workspaceId: string; target: string; deliveryIds: string[] };

type Waiting = Pick<DeliveryDoc, "_id" | "workspaceId" | "target" | "attempts" | "sweeps">;

/**
 * Each reason to wake has an id of its own, so that the runner takes it once, and a later one again. A call costs the
 * runner more than a send: where one host gets more than may be on their way at once, a call sends several.
 */
export function wakeCalls(docs: readonly Waiting[]): JobEvent[] {
  return [...Map.groupBy(docs, ({ target }) => target).values()].flatMap((ofTarget) => {
    const calls = Math.max(
      Math.ceil(ofTarget.length / CALL_DELIVERIES_MAX),
      Math.min(ofTarget.length, SENDS_PER_TARGET),
    );
    return Array.from({ length: calls }, (_, first) => toCall(ofTarget.filter((_, index) => index % calls === first)));
  });
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
