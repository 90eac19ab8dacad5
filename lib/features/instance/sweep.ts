import "server-only";
import { sweepTurns } from "@/lib/features/agent/sweep";
import { settleLeftBehind } from "@/lib/features/apps/bindings/published";
import { wakeBindings } from "@/lib/features/apps/bindings/refresh";
import { sweepAppOperations } from "@/lib/features/apps/publish/operations";
import { sweepAppRemovals } from "@/lib/features/apps/removals";
import { sweepImports } from "@/lib/features/connections/imports/service";
import { recoverConsoleRun } from "@/lib/features/consoles/schedule";
import { recoverRefresh } from "@/lib/features/dashboards/refresh";
import { recoverFlowRun } from "@/lib/features/flows/runs";
import { queuePendingEvents } from "@/lib/features/flows/webhook-batch";
import { completeAbandoned } from "@/lib/features/folders/change-items";
import { sweepLinks } from "@/lib/features/linked-repositories/enqueue";
import { sweepDeliveries } from "@/lib/features/notifications/deliveries";
import type { RunOwners } from "@/lib/features/runs/sweep";
import { sweepRuns } from "@/lib/features/runs/sweep";
import { log } from "@/lib/platform/log";

/** Recovery of each kind of run after its server died; each feature with runs adds an entry. */
const RUN_OWNERS: RunOwners = {
  scheduled_query: recoverConsoleRun,
  flow: recoverFlowRun,
  dashboard: recoverRefresh,
};

/** Runs once all recovery of work left by a dead process or an unreachable job runner. Concurrent runs are harmless. */
export async function sweep(): Promise<void> {
  const outcomes = await Promise.allSettled([
    sweepRuns(RUN_OWNERS),
    sweepDeliveries(),
    queuePendingEvents(),
    sweepAppRemovals(),
    sweepAppOperations(),
    sweepLinks(),
    wakeBindings(),
    settleLeftBehind(),
    sweepTurns(),
    completeAbandoned(),
    sweepImports(),
  ]);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") log.warn({ err: outcome.reason }, "failed to recover unfinished work");
  }
}
