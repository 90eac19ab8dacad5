import "server-only";
import { ObjectId } from "mongodb";
import { withTexts } from "@/lib/base/values/exact-sources";
import type { DashboardDoc } from "@/lib/features/dashboards/model";
import { refuseBadLook } from "@/lib/features/dashboards/picture/draw";
import { getDashboardDocOrThrow } from "@/lib/features/dashboards/service";
import type { RunResource } from "@/lib/features/runs/model";
import { type ScheduleDoc, toSchedule } from "@/lib/features/runs/schedules/model";
import { putSchedule, removeSchedule, schedulesOf } from "@/lib/features/runs/schedules/service";
import type { Caller } from "@/lib/platform/access/caller";
import { consume } from "@/lib/platform/access/rate-limit";
import { isAtLeast } from "@/lib/platform/access/roles";
import { AppError } from "@/lib/platform/http/errors";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import { judgeAddresses, nextChannel } from "../channels/stored";
import { collections } from "../collections";
import { publishRulesEvent } from "../events";
import { SNAPSHOTS_PER_DASHBOARD_MAX } from "../limits";
import { type DeliveryDoc, type SnapshotDoc, toChannel, toDelivery } from "../model";
import type { CreateSnapshotBody, SavedSnapshot, Snapshot, UpdateSnapshotBody } from "../snapshot-schema";
import { SNAPSHOT_TYPE, toTakeEvent } from "./take";

/** Maximum number of attempts when a snapshot changes concurrently; users do not reach it. */
const UPDATE_TRIES = 10;

/**
 * Returns the snapshots of a dashboard, oldest first.
 * @throws AppError `not_found`
 */
export async function listSnapshots(caller: Caller, dashboardId: ObjectId): Promise<Snapshot[]> {
  await getDashboardDocOrThrow(caller, dashboardId);
  const { workspaceId } = caller;
  const docs = await collections
    .snapshots()
    .find({ workspaceId, dashboardId })
    .sort({ _id: 1 })
    .limit(SNAPSHOTS_PER_DASHBOARD_MAX)
    .toArray();
  return withRunStatus(workspaceId, docs);
}

/**
 * Schedules snapshots of a dashboard. They show its data outside of the workspace, so this requires the right to share
 * it.
 * @returns the snapshot, with the signing secret of a webhook, which is not shown again
 * @throws AppError `not_found`, `forbidden`, `invalid_request`, `address_refused`, `conflict` when there are too many
 */
export async function createSnapshot(
  caller: Caller,
  dashboardId: ObjectId,
  body: CreateSnapshotBody,
  now = new Date(),
): Promise<SavedSnapshot> {
  const dashboard = await getToSendOrThrow(caller, dashboardId);
  const { cron, timezone, enabled, filters, grain, compare, theme, withPdf, ...request } = body;
  await judgeAddresses(request);
  const look = { filters: JSON.stringify(withTexts(filters)), grain, compare };
  judgeLook(dashboard, look, timezone);
  const { workspaceId } = caller;
  await refuseTooMany(workspaceId, dashboardId, SNAPSHOTS_PER_DASHBOARD_MAX - 1);
  const place = { _id: new ObjectId(), workspaceId };
  const { channel, newSecret } = nextChannel(place, null, request);
  const doc: SnapshotDoc = {
    ...place,
    dashboardId,
    enabled,
    channel,
    ...look,
    theme,
    withPdf,
    createdBy: caller.user._id,
    createdAt: now,
    updatedAt: now,
    revision: 1,
  };
  // The schedule first: if it is rejected, nothing is left behind.
  await putSchedule(caller, scheduled(place._id), { cron, timezone, enabled }, now);
  await collections.snapshots().insertOne(doc);
  // Checked after the insert: a dashboard that was deleted concurrently has either deleted the snapshot too, or no
  // longer exists now.
  try {
    await getDashboardDocOrThrow(caller, dashboardId);
    await refuseTooMany(workspaceId, dashboardId, SNAPSHOTS_PER_DASHBOARD_MAX);
  } catch (error) {
    await remove(doc);
    throw error;
  }
  return told(doc, newSecret);
}

/**
 * Updates the fields of a snapshot that are sent.
 * @throws AppError as `createSnapshot`
 */
export async function updateSnapshot(
  caller: Caller,
  { dashboardId, snapshotId }: { dashboardId: ObjectId; snapshotId: ObjectId },
  body: UpdateSnapshotBody,
  now = new Date(),
): Promise<SavedSnapshot> {
  const dashboard = await getToSendOrThrow(caller, dashboardId);
  const { cron, timezone, enabled, filters, grain, compare, theme, withPdf, ...request } = body;
  await judgeAddresses(request);
  const form = { ...(theme && { theme }), ...(withPdf !== undefined && { withPdf }) };
  for (let tries = 0; tries < UPDATE_TRIES; tries += 1) {
    const before = await getSnapshotOrThrow(caller, dashboardId, snapshotId);
    const schedule = await scheduleOf(before);
    const next = {
      cron: cron ?? schedule?.cron ?? "",
      timezone: timezone ?? schedule?.timezone ?? "UTC",
      enabled: enabled ?? before.enabled,
    };
    const look = {
      filters: filters === undefined ? before.filters : JSON.stringify(withTexts(filters)),
      grain: grain === undefined ? before.grain : grain,
      compare: compare === undefined ? before.compare : compare,
    };
    // Stored values are not checked again: a filter that no longer exists must not prevent disabling the snapshot.
    if (filters !== undefined) judgeLook(dashboard, look, next.timezone);
    const { channel, newSecret } = nextChannel(before, before.channel, request);
    if (cron !== undefined || timezone !== undefined || next.enabled !== before.enabled) {
      await putSchedule(caller, scheduled(snapshotId), next, now);
    }
    const after = await collections
      .snapshots()
      .findOneAndUpdate(
        { _id: snapshotId, workspaceId: caller.workspaceId, dashboardId, revision: before.revision },
        { $set: { ...look, ...form, channel, enabled: next.enabled, updatedAt: now }, $inc: { revision: 1 } },
        { returnDocument: "after" },
      );
    if (after) return told(after, newSecret);
  }
  throw new AppError("conflict", "Someone else is changing this snapshot. Reload it and try again.");
}

/**
 * Deletes a snapshot. Its queued deliveries are not sent; the records remain.
 * @throws AppError `not_found`, `forbidden`
 */
export async function deleteSnapshot(caller: Caller, dashboardId: ObjectId, snapshotId: ObjectId): Promise<void> {
  await getToSendOrThrow(caller, dashboardId);
  const doc = await getSnapshotOrThrow(caller, dashboardId, snapshotId);
  await remove(doc);
  await publishRulesEvent(resourceOf(doc));
}

/**
 * Takes a snapshot now, besides its schedule. Its deliveries show the result.
 * @throws AppError `not_found`, `forbidden`, `rate_limited`; `conflict` for a disabled one
 */
export async function sendSnapshotNow(
  caller: Caller,
  dashboardId: ObjectId,
  snapshotId: ObjectId,
  now = new Date(),
): Promise<Snapshot> {
  await getToSendOrThrow(caller, dashboardId);
  const doc = await getSnapshotOrThrow(caller, dashboardId, snapshotId);
  if (!doc.enabled) throw new AppError("conflict", "This snapshot is disabled. Enable it to send it.");
  await consume("notificationTests", caller.workspaceId.toHexString());
  await sendJobEvents([toTakeEvent(doc, now)]);
  const [one] = await withRunStatus(doc.workspaceId, [doc]);
  if (!one) throw new Error("Snapshot not found.");
  return one;
}

/**
 * Queues a tick of a snapshot's schedule (`lib/features/runs/schedules/tick`): one event, even if called several times.
 */
export async function queueSnapshotTick(
  { workspaceId, resourceId }: ScheduleDoc,
  tick: Date,
): Promise<"queued" | "gone"> {
  const doc = await collections.snapshots().findOne({ _id: resourceId, workspaceId });
  if (!doc) return "gone";
  await sendJobEvents([toTakeEvent(doc, tick)]);
  return "queued";
}

/** Deletes the snapshots of a deleted dashboard, and their pictures. */
export async function deleteSnapshotsOf({ workspaceId, resourceType, resourceId }: RunResource): Promise<void> {
  if (resourceType !== "dashboard") return;
  const docs = await collections.snapshots().find({ workspaceId, dashboardId: resourceId }).toArray();
  for (const doc of docs) await remove(doc);
  await collections.snapshotPictures().deleteMany({ workspaceId, dashboardId: resourceId });
}

async function remove({ _id, workspaceId }: SnapshotDoc): Promise<void> {
  await collections.snapshots().deleteOne({ _id, workspaceId });
  await removeSchedule({ workspaceId }, scheduled(_id));
}

function judgeLook(
  dashboard: DashboardDoc,
  { filters, grain, compare }: Pick<SnapshotDoc, "filters" | "grain" | "compare">,
  timezone: string,
): void {
  refuseBadLook(dashboard, { filters, timezone, grain: grain ?? undefined, compare: compare ?? undefined });
}

async function refuseTooMany(workspaceId: ObjectId, dashboardId: ObjectId, most: number): Promise<void> {
  const count = await collections.snapshots().countDocuments({ workspaceId, dashboardId }, { limit: most + 1 });
  if (count <= most) return;
  throw new AppError("conflict", `Limit of ${SNAPSHOTS_PER_DASHBOARD_MAX} snapshots reached. Delete one first.`);
}

async function getToSendOrThrow(caller: Caller, dashboardId: ObjectId): Promise<DashboardDoc> {
  const doc = await getDashboardDocOrThrow(caller, dashboardId);
  if (doc.ownerId.equals(caller.user._id) || isAtLeast(caller.role, "admin")) return doc;
  throw new AppError("forbidden", "Only the dashboard's owner, admins and workspace owners can send it.");
}

async function getSnapshotOrThrow(
  { workspaceId }: Caller,
  dashboardId: ObjectId,
  snapshotId: ObjectId,
): Promise<SnapshotDoc> {
  const doc = await collections.snapshots().findOne({ _id: snapshotId, workspaceId, dashboardId });
  if (!doc) throw new AppError("not_found", "Snapshot not found.");
  return doc;
}

async function told(doc: SnapshotDoc, newSecret: string | undefined): Promise<SavedSnapshot> {
  await publishRulesEvent(resourceOf(doc));
  const [one] = await withRunStatus(doc.workspaceId, [doc]);
  if (!one) throw new Error("Snapshot not found.");
  return { ...one, ...(newSecret !== undefined && { signingSecretOnce: newSecret }) };
}

async function scheduleOf({ workspaceId, _id }: SnapshotDoc): Promise<ScheduleDoc | null> {
  return (await schedulesOf(workspaceId, SNAPSHOT_TYPE, [_id])).get(_id.toHexString()) ?? null;
}

async function withRunStatus(workspaceId: ObjectId, docs: readonly SnapshotDoc[]): Promise<Snapshot[]> {
  const ids = docs.map(({ _id }) => _id);
  const lastIds = docs.flatMap(({ lastDeliveryId }) => lastDeliveryId ?? []);
  const [schedules, last] = await Promise.all([
    schedulesOf(workspaceId, SNAPSHOT_TYPE, ids),
    lastIds.length === 0
      ? []
      : collections
          .deliveries()
          .find({ _id: { $in: lastIds }, workspaceId })
          .toArray(),
  ]);
  const byId = new Map(last.map((each): [string, DeliveryDoc] => [each._id.toHexString(), each]));
  return docs.map((doc) => {
    const schedule = schedules.get(doc._id.toHexString());
    const delivery = byId.get(doc.lastDeliveryId?.toHexString() ?? "");
    return toSnapshot(doc, schedule, delivery);
  });
}

/** Returns the public fields of a snapshot, chosen one by one, so that no encrypted field slips through (T76). */
function toSnapshot(doc: SnapshotDoc, schedule: ScheduleDoc | undefined, delivery: DeliveryDoc | undefined): Snapshot {
  return {
    id: doc._id.toHexString(),
    dashboardId: doc.dashboardId.toHexString(),
    enabled: doc.enabled,
    cron: schedule?.cron ?? "",
    timezone: schedule?.timezone ?? "UTC",
    nextRuns: schedule ? toSchedule(schedule).nextRuns : [],
    filters: JSON.parse(doc.filters),
    grain: doc.grain,
    compare: doc.compare,
    theme: doc.theme ?? "light",
    withPdf: doc.withPdf ?? false,
    channelType: doc.channel.type,
    channel: toChannel(doc.channel),
    lastDelivery: delivery ? toDelivery(delivery) : null,
    createdBy: doc.createdBy.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}

function scheduled(_id: ObjectId) {
  return { resourceType: SNAPSHOT_TYPE, resourceId: _id };
}

function resourceOf({ workspaceId, dashboardId }: SnapshotDoc): RunResource {
  return { workspaceId, resourceType: "dashboard", resourceId: dashboardId };
}
