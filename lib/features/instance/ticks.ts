import "server-only";
import { queueBindingTick } from "@/lib/features/apps/bindings/refresh";
import { queueConsoleTick } from "@/lib/features/consoles/schedule";
import { queueRefreshTick } from "@/lib/features/dashboards/refresh";
import { queueFlowTick } from "@/lib/features/flows/runs";
import { queueSnapshotTick } from "@/lib/features/notifications/snapshots/service";
import { SNAPSHOT_TYPE } from "@/lib/features/notifications/snapshots/take";
import { queueDueRuns, type TickOwners } from "@/lib/features/runs/schedules/tick";

/** Handlers of each kind of schedule; each feature with schedules adds an entry. */
const OWNERS: TickOwners = {
  scheduled_query: queueConsoleTick,
  flow: queueFlowTick,
  dashboard: queueRefreshTick,
  app_binding: queueBindingTick,
  [SNAPSHOT_TYPE]: queueSnapshotTick,
};

/** Queues a run for each due schedule. @returns how many */
export function runDueSchedules(): Promise<number> {
  return queueDueRuns(OWNERS);
}
