import "server-only";
import { ObjectId } from "mongodb";
import type { ResourceType, Run } from "@/lib/features/runs/schema";
import { lastRuns } from "@/lib/features/runs/service";
import type { Caller } from "@/lib/platform/access/caller";
import { toSchedule } from "./model";
import type { Schedule } from "./schema";
import { schedulesOf } from "./service";

export type WithRunStatus = { id: string; schedule: Schedule | null; lastRun: Run | null };

/** Adds schedules and last runs to resources, in two look-ups for all of them. */
export async function withRunStatusOf<T extends WithRunStatus>(
  { workspaceId }: Pick<Caller, "workspaceId">,
  resourceType: ResourceType,
  items: readonly T[],
): Promise<T[]> {
  const ids = items.map(({ id }) => new ObjectId(id));
  const [schedules, runs] = await Promise.all([
    schedulesOf(workspaceId, resourceType, ids),
    lastRuns(workspaceId, resourceType, ids),
  ]);
  const now = new Date();
  return items.map((each) => {
    const schedule = schedules.get(each.id);
    return { ...each, schedule: schedule ? toSchedule(schedule, now) : null, lastRun: runs.get(each.id) ?? null };
  });
}
