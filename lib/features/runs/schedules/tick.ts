import "server-only";
import { log } from "@/lib/platform/log";
import { collections } from "./collections";
import { CronSchedule } from "./cron";
import type { ScheduleDoc } from "./model";

/** A server that dies while it looks at a schedule leaves it to the others after this. */
const LOOK_MS = 30_000;

/**
 * What the owner of a kind of resource does when it is due: it queues a run that is the tick's, however often it is
 * asked (`lib/features/runs`, `once`).
 * - `queued`: the tick is done with.
 * - `busy`: its last run has not ended. The tick waits for that; of those that pass meanwhile one run is made.
 * - `away`: it is deleted and may come back; the tick is left out.
 * - `gone`: it does not come back, and the schedule goes too.
 */
export type QueueTick = (schedule: ScheduleDoc, tick: Date) => Promise<"queued" | "busy" | "away" | "gone">;
export type TickOwners = Readonly<Record<string, QueueTick>>;

/**
 * Queues a run for each schedule that is due. Any number of servers may do so at once: a tick is one run. What was
 * missed while no server was there runs once.
 * @returns how many runs were queued
 */
export async function queueDueRuns(owners: TickOwners): Promise<number> {
  let queued = 0;
  for (;;) {
    // By the store's clock, which is one for all servers.
    const schedule = await collections.schedules().findOneAndUpdate(
      {
        nextAt: { $exists: true },
        $expr: { $and: [{ $lte: ["$nextAt", "$$NOW"] }, { $lt: ["$lookedAtUntil", "$$NOW"] }] },
      },
      [{ $set: { lookedAtUntil: { $add: ["$$NOW", LOOK_MS] } } }],
      { sort: { nextAt: 1 }, returnDocument: "after" },
    );
    if (!schedule?.nextAt || !schedule.lookedAtUntil) return queued;
    const now = new Date(schedule.lookedAtUntil.getTime() - LOOK_MS);
    try {
      if (await queueTick(schedule, schedule.nextAt, now, owners)) queued += 1;
    } catch (error) {
      log.error({ err: error, scheduleId: schedule._id.toHexString() }, "a schedule could not be run, and will be");
    }
  }
}

async function queueTick(schedule: ScheduleDoc, tick: Date, now: Date, owners: TickOwners): Promise<boolean> {
  const outcome = (await owners[schedule.resourceType]?.(schedule, tick)) ?? "gone";
  const { _id, workspaceId } = schedule;
  // Whoever has changed it meanwhile has said anew when it is due.
  const asSeen = { _id, workspaceId, nextAt: tick };
  if (outcome === "gone") await collections.schedules().deleteOne(asSeen);
  if (outcome === "queued" || outcome === "away") {
    const next = new CronSchedule(schedule.cron, schedule.timezone).next(now > tick ? now : tick);
    await collections.schedules().updateOne(asSeen, {
      $unset: { lookedAtUntil: true, ...(!next && { nextAt: true }) },
      ...(next && { $set: { nextAt: next } }),
    });
  }
  return outcome === "queued";
}
