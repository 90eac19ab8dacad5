import type { ObjectId } from "mongodb";
import { CronSchedule } from "./cron";
import type { Schedule } from "./schema";

/** What has a schedule, of one workspace: at most one each. */
export type Scheduled = { workspaceId: ObjectId; resourceType: string; resourceId: ObjectId };

export type ScheduleDoc = Scheduled & {
  _id: ObjectId;
  cron: string;
  timezone: string;
  enabled: boolean;
  /** When it is due next; absent while it is off. A moment that has passed stays until its run is queued. */
  nextAt?: Date;
  /** Until then no other server looks at it. */
  lookedAtUntil?: Date;
  /** Who set it last: it runs as them. */
  ownerId: ObjectId;
  createdAt: Date;
  updatedAt: Date;
};

const NEXT_RUNS = 5;

export function toSchedule(doc: ScheduleDoc, now = new Date()): Schedule {
  const { cron, timezone, enabled } = doc;
  const next = enabled ? new CronSchedule(cron, timezone).nextRuns(NEXT_RUNS, now) : [];
  return {
    cron,
    timezone,
    enabled,
    nextRuns: next.map((at) => at.toISOString()),
    ownerId: doc.ownerId.toHexString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}
