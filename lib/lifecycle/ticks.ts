import "server-only";
import { queueBindingTick } from "@/lib/apps/bindings/refresh";
import { queueConsoleTick } from "@/lib/consoles/schedule";
import { queueRefreshTick } from "@/lib/dashboards/refresh";
import { queueFlowTick } from "@/lib/flows/runs";
import { queueSnapshotTick } from "@/lib/notifications/snapshots/service";
import { SNAPSHOT_TYPE } from "@/lib/notifications/snapshots/take";
import { queueDueRuns, type TickOwners } from "@/lib/schedules/tick";

/** Whatever can have a schedule adds a line. */
const OWNERS: TickOwners = {
  scheduled_query: queueConsoleTick,
  flow: queueFlowTick,
  dashboard: queueRefreshTick,
  app_binding: queueBindingTick,
  [SNAPSHOT_TYPE]: queueSnapshotTick,
};

/** Queues a run for each schedule that is due. @returns how many */
export function runDueSchedules(): Promise<number> {
  return queueDueRuns(OWNERS);
}
