import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { settleLeftBehind } from "@/lib/apps/bindings/published";
import { wakeBindings } from "@/lib/apps/bindings/refresh";
import { sweepAppOperations } from "@/lib/apps/publish/operations";
import { sweepAppRemovals } from "@/lib/apps/removals";
import { recoverConsoleRun } from "@/lib/consoles/schedule";
import { recoverRefresh } from "@/lib/dashboards/refresh";
import { recoverFlowRun } from "@/lib/flows/runs";
import { queuePendingEvents } from "@/lib/flows/webhook-batch";
import { log } from "@/lib/log";
import { sweepDeliveries } from "@/lib/notifications/deliveries";
import { isShuttingDown } from "@/lib/process/shutdown";
import type { RunOwners } from "@/lib/runs/sweep";
import { sweepRuns } from "@/lib/runs/sweep";

/** What is due is picked up within ten seconds of its time. */
const SWEEP_EVERY_MS = 5_000;

/** How each kind of run goes on when its server has died; whoever carries runs out adds a line. */
const RUN_OWNERS: RunOwners = {
  scheduled_query: recoverConsoleRun,
  flow: recoverFlowRun,
  dashboard: recoverRefresh,
};

/** Looks once after all that a dead process or a job runner that was away has left undone. Two at once do no harm. */
export async function sweep(): Promise<void> {
  const outcomes = await Promise.allSettled([
    sweepRuns(RUN_OWNERS),
    sweepDeliveries(),
    queuePendingEvents(),
    sweepAppRemovals(),
    sweepAppOperations(),
    wakeBindings(),
    settleLeftBehind(),
  ]);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") log.warn({ err: outcome.reason }, "what was left undone could not be taken up");
  }
}

/** Goes on with it for as long as this process lives. */
export async function sweepForever(): Promise<void> {
  while (!isShuttingDown()) {
    await sweep();
    await sleep(SWEEP_EVERY_MS, undefined, { ref: false });
  }
}
