import type { JobEvent } from "@/lib/process/job-events";
import type { DeliveryDoc } from "./model";

/** Asks the job runner to send a delivery. */
export const DELIVERY_QUEUED_EVENT = "notification/delivery.queued";

/** The data of the event: ids alone. Those of one `target` wait for each other. */
export type DeliveryQueued = { workspaceId: string; deliveryId: string; target: string };

/** Each reason to wake has an id of its own, so that the runner takes it once, and a later one again. */
export function wakeCalls(
  docs: Pick<DeliveryDoc, "_id" | "workspaceId" | "target" | "attempts" | "sweeps">[],
): JobEvent[] {
  return docs.map(({ _id, workspaceId, target, attempts, sweeps }) => ({
    name: DELIVERY_QUEUED_EVENT,
    id: `${DELIVERY_QUEUED_EVENT}:${_id.toHexString()}:${attempts}:${sweeps}`,
    data: { workspaceId: workspaceId.toHexString(), deliveryId: _id.toHexString(), target } satisfies DeliveryQueued,
  }));
}
