import "server-only";
import { log } from "@/lib/platform/log";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { collections } from "./collections";
import { CronSchedule } from "./cron";
import type { ScheduleDoc } from "./model";

/**
 * Queues a run when a resource is due. Provided by the owner of the kind of resource. It may be called several times
 * for one tick and queues one run (`lib/features/runs`, `once`).
 *
 * - `queued`: the tick is complete.
 * - `busy`: the last run has not ended. The tick waits for it; all ticks that pass in between become one run.
 * - `away`: the resource is deleted and may be restored; the tick is skipped.
 * - `gone`: the resource is deleted for good, so the schedule is deleted too.
 */
export type QueueTick = (schedule: ScheduleDoc, tick: Date) => Promise<"queued" | "busy" | "away" | "gone">;
export type TickOwners = Readonly<Record<string, QueueTick>>;

/**
 * Queues a run for each schedule that is due. Any number of servers may do so concurrently: a tick is one run. Ticks
 * missed while no server was running become one run.
 * @returns the number of queued runs
 */
export async function queueDueRuns(owners: TickOwners): Promise<number> {
  let queued = 0;
  for (;;) {
    // The store's clock is the same for all servers. After the lease, another one examines the schedule.
    const schedule = await collections.schedules().findOneAndUpdate(
      {
        nextAt: { $exists: true },
        $expr: { $and: [{ $lte: ["$nextAt", "$$NOW"] }, { $lt: ["$lookedAtUntil", "$$NOW"] }] },
      },
      [{ $set: { lookedAtUntil: { $add: ["$$NOW", LEASE_MS] } } }],
      { sort: { nextAt: 1 }, returnDocument: "after" },
    );
    if (!schedule?.nextAt || !schedule.lookedAtUntil) return queued;
    const now = new Date(schedule.lookedAtUntil.getTime() - LEASE_MS);
    try {
      if (await queueTick(schedule, schedule.nextAt, now, owners)) queued += 1;
    } catch (error) {
      log.error({ err: error, scheduleId: schedule._id.toHexString() }, "failed to run a schedule; it will be retried");
    }
  }
}

async function queueTick(schedule: ScheduleDoc, tick: Date, now: Date, owners: TickOwners): Promise<boolean> {
  const outcome = (await owners[schedule.resourceType]?.(schedule, tick)) ?? "gone";
  const { _id, workspaceId } = schedule;
  // Match the schedule as it was read: a change made since has set the next tick.
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
