import type { ObjectId } from "mongodb";
import { CronSchedule } from "./cron";
import type { Schedule } from "./schema";

/** A resource with a schedule, in one workspace: at most one schedule each. */
export type Scheduled = { workspaceId: ObjectId; resourceType: string; resourceId: ObjectId };

export type ScheduleDoc = Scheduled & {
  _id: ObjectId;
  cron: string;
  timezone: string;
  enabled: boolean;
  /** Next due time; absent while it is disabled. A past time stays until its run is queued. */
  nextAt?: Date;
  /** Time until which no other server examines it. */
  lookedAtUntil?: Date;
  /** User who saved it last: it runs as this user. */
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
