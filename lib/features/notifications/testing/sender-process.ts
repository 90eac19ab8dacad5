import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { RUN_ENDED_EVENT, type RunEnded } from "@/lib/features/runs/ends";
import { sweepRuns } from "@/lib/features/runs/sweep";
import { sendJobEventsBy } from "@/lib/platform/process/job-events";
import { attemptDelivery } from "../attempts";
import { collections } from "../collections";
import { sweepDeliveries } from "../deliveries";
import { fanOut } from "../fan-out";
import { DELIVERY_QUEUED_EVENT, type DeliveryQueued } from "../wake";

/**
 * A server that sends what is queued until it is killed: the sweeper, and a job runner whose queue is the open deliveries
 * of the store, as one that keeps its queue there has them again after its death. Argument: how many it sends at once.
 */
const concurrency = Number(process.argv[2] ?? "1");
const PAUSE_MS = 200;
const SWEEP_EVERY_MS = 100;

type One = { workspaceId: string; deliveryId: string };
const waiting: One[] = [];
const known = new Set<string>();

function take(data: One): void {
  if (known.has(data.deliveryId)) return;
  known.add(data.deliveryId);
  waiting.push(data);
}

sendJobEventsBy(async (events) => {
  for (const { name, data } of events) {
    if (name === RUN_ENDED_EVENT) void fanOut(data as RunEnded).catch(() => {});
    else if (name === DELIVERY_QUEUED_EVENT) {
      const { workspaceId, deliveryIds } = data as DeliveryQueued;
      for (const deliveryId of deliveryIds) take({ workspaceId, deliveryId });
    }
  }
});

async function work(): Promise<never> {
  for (;;) {
    const next = waiting.shift();
    if (!next) {
      await sleep(10);
      continue;
    }
    const result = await attemptDelivery(new ObjectId(next.workspaceId), new ObjectId(next.deliveryId));
    known.delete(next.deliveryId);
    if (result.state !== "final") setTimeout(() => take(next), PAUSE_MS);
  }
}

const open = await collections
  .deliveries()
  .find({ status: { $in: ["queued", "retrying"] } })
  .project({ workspaceId: 1 })
  .toArray();
for (const { _id, workspaceId } of open) {
  take({ workspaceId: workspaceId.toHexString(), deliveryId: _id.toHexString() });
}
process.send?.("up");
process.on("disconnect", () => process.exit(0));
for (let i = 0; i < concurrency; i += 1) void work();
for (;;) {
  await sweepRuns({});
  await sweepDeliveries();
  await sleep(SWEEP_EVERY_MS);
}
