import "server-only";
import { queueConsoleTick } from "@/lib/consoles/schedule";
import { queueFlowTick } from "@/lib/flows/runs";
import { queueDueRuns, type TickOwners } from "@/lib/schedules/tick";

/** Whatever can have a schedule adds a line. */
const OWNERS: TickOwners = { scheduled_query: queueConsoleTick, flow: queueFlowTick };

/** Queues a run for each schedule that is due. @returns how many */
export function runDueSchedules(): Promise<number> {
  return queueDueRuns(OWNERS);
}
