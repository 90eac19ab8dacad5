import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { BadSchedule, CronSchedule } from "./cron";
import { type ScheduleDoc, type Scheduled, toSchedule } from "./model";
import type { Schedule, ScheduleBody } from "./schema";

type Resource = Pick<Scheduled, "resourceType" | "resourceId">;

/**
 * Sets the schedule of a resource, which the caller must be known to see. From then on it runs as the caller.
 * @throws AppError `invalid_request` for what is no cron expression or zone, and for a schedule that never comes
 */
export async function putSchedule(
  { workspaceId, user }: Pick<Caller, "workspaceId"> & { user: Pick<Caller["user"], "_id"> },
  { resourceType, resourceId }: Resource,
  body: ScheduleBody,
  now = new Date(),
): Promise<Schedule> {
  const { cron, timezone, next } = readSchedule(body, now);
  const doc = await collections.schedules().findOneAndUpdate(
    { workspaceId, resourceType, resourceId },
    {
      $set: {
        cron,
        timezone,
        enabled: body.enabled,
        ownerId: user._id,
        updatedAt: now,
        ...(body.enabled && { nextAt: next }),
      },
      $unset: { lookedAtUntil: true, ...(!body.enabled && { nextAt: true }) },
      $setOnInsert: { _id: new ObjectId(), createdAt: now },
    },
    { upsert: true, returnDocument: "after" },
  );
  if (!doc) throw new Error("The store returned no schedule.");
  return toSchedule(doc, now);
}

/** Disables the schedule, if there is one. */
export async function pauseSchedule({ workspaceId }: Pick<Caller, "workspaceId">, resource: Resource): Promise<void> {
  const { resourceType, resourceId } = resource;
  await collections
    .schedules()
    .updateOne(
      { workspaceId, resourceType, resourceId, enabled: true },
      { $set: { enabled: false, updatedAt: new Date() }, $unset: { nextAt: true, lookedAtUntil: true } },
    );
}

/** Deletes the schedule, if there is one. */
export async function removeSchedule({ workspaceId }: Pick<Caller, "workspaceId">, resource: Resource): Promise<void> {
  const { resourceType, resourceId } = resource;
  await collections.schedules().deleteOne({ workspaceId, resourceType, resourceId });
}

/** Returns the schedules of these resources, by the resource's id; one query. */
export async function schedulesOf(
  workspaceId: ObjectId,
  resourceType: string,
  resourceIds: ObjectId[],
): Promise<Map<string, ScheduleDoc>> {
  if (resourceIds.length === 0) return new Map();
  const docs = await collections
    .schedules()
    .find({ workspaceId, resourceType, resourceId: { $in: resourceIds } })
    .toArray();
  return new Map(docs.map((doc) => [doc.resourceId.toHexString(), doc]));
}

/** Returns the ids of the resources of a kind that have a schedule. */
export async function scheduledIds(workspaceId: ObjectId, resourceType: string): Promise<ObjectId[]> {
  const docs = collections.schedules().find({ workspaceId, resourceType }, { projection: { resourceId: 1 } });
  return docs.map(({ resourceId }) => resourceId).toArray();
}

function readSchedule({ cron, timezone }: ScheduleBody, now: Date) {
  try {
    const schedule = new CronSchedule(cron, timezone);
    return { cron: schedule.cron, timezone: schedule.timezone, next: schedule.next(now) ?? undefined };
  } catch (error) {
    if (!(error instanceof BadSchedule)) throw error;
    throw new AppError("invalid_request", error.message, { details: [{ path: error.field, message: error.message }] });
  }
}
