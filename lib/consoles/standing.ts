import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import { lastRuns } from "@/lib/runs/service";
import { toSchedule } from "@/lib/schedules/model";
import { schedulesOf } from "@/lib/schedules/service";
import type { ConsoleSummary } from "./schema";

/** What has runs in the background and notifications of a console: `lib/runs` knows it by this name. */
export const RESOURCE_TYPE = "scheduled_query";

/** The consoles with their schedules and last runs, in two look-ups for all of them. */
export async function withStanding<T extends ConsoleSummary>(
  { workspaceId }: Pick<Caller, "workspaceId">,
  consoles: readonly T[],
): Promise<T[]> {
  const ids = consoles.map(({ id }) => new ObjectId(id));
  const [schedules, runs] = await Promise.all([
    schedulesOf(workspaceId, RESOURCE_TYPE, ids),
    lastRuns(workspaceId, RESOURCE_TYPE, ids),
  ]);
  const now = new Date();
  return consoles.map((each) => {
    const schedule = schedules.get(each.id);
    return { ...each, schedule: schedule ? toSchedule(schedule, now) : null, lastRun: runs.get(each.id) ?? null };
  });
}

/** The same for one. */
export async function withOwnStanding<T extends ConsoleSummary>(
  caller: Pick<Caller, "workspaceId">,
  console: T,
): Promise<T> {
  const [one = console] = await withStanding(caller, [console]);
  return one;
}
