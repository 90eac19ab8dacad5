import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { settleLeftBehind } from "@/lib/features/apps/bindings/published";
import { wakeBindings } from "@/lib/features/apps/bindings/refresh";
import { sweepAppOperations } from "@/lib/features/apps/publish/operations";
import { sweepAppRemovals } from "@/lib/features/apps/removals";
import { recoverConsoleRun } from "@/lib/features/consoles/schedule";
import { recoverRefresh } from "@/lib/features/dashboards/refresh";
import { recoverFlowRun } from "@/lib/features/flows/runs";
import { queuePendingEvents } from "@/lib/features/flows/webhook-batch";
import { sweepDeliveries } from "@/lib/features/notifications/deliveries";
import type { RunOwners } from "@/lib/features/runs/sweep";
import { sweepRuns } from "@/lib/features/runs/sweep";
import { log } from "@/lib/platform/log";
import { isShuttingDown } from "@/lib/platform/process/shutdown";

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
