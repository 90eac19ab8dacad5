import "server-only";
import { createHash, randomBytes } from "node:crypto";
import ipaddr from "ipaddr.js";
import { Binary, ObjectId } from "mongodb";
import { hashToken } from "@/lib/features/accounts/tokens";
import { type DrawnDashboard, drawDashboard } from "@/lib/features/dashboards/picture/draw";
import { schedulesOf } from "@/lib/features/runs/schedules/service";
import { findWorkspaceSlug } from "@/lib/features/workspaces/service";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import type { JobEvent } from "@/lib/platform/process/job-events";
import { collections } from "../collections";
import type { SnapshotDoc } from "../model";
import { keyOfDelivery, newDelivery, queueDeliveries } from "../queue";
import type { SnapshotPayload } from "../snapshot-schema";
import { tellDeliveries } from "../tell";

/** As `lib/features/runs/schedules` knows what has one of its own. */
export const SNAPSHOT_TYPE = "dashboard_snapshot";
/** What the job runner is woken with when a snapshot is due. */
export const SNAPSHOT_DUE_EVENT = "dashboard/snapshot.due";
/** Both together are far below what one document of the store takes; a full page of noise is some three megabytes. */
const FILE_BYTES_MAX = 6 * 1024 * 1024;
/** Reading what was never read is within the limits of queries; what takes longer than all of them is given up. */
const TAKE_TIMEOUT_MS = 30 * 60_000;
/** Nobody guesses one. */
const TOKEN_BYTES = 24;
/** Failures that a retry cannot cure. */
const HOPELESS: ReadonlySet<string> = new Set(["not_found", "forbidden", "invalid_request", "too_large"]);

const GIVEN_UP =
  "The server stopped unexpectedly while it took this snapshot. Simplify the dashboard's charts, then send it again.";

export type SnapshotDue = { workspaceId: string; snapshotId: string; at: string };

/** One moment of one snapshot is one event, whoever tells it. */
export function toTakeEvent({ _id, workspaceId }: SnapshotDoc, at: Date): JobEvent {
  const snapshotId = _id.toHexString();
  return {
    name: SNAPSHOT_DUE_EVENT,
    id: `${SNAPSHOT_DUE_EVENT}:${snapshotId}:${at.getTime()}`,
    data: { workspaceId: workspaceId.toHexString(), snapshotId, at: at.toISOString() } satisfies SnapshotDue,
  };
}

/**
 * Draws a dashboard and queues the message, once a moment however often it is asked. What cannot be drawn is a delivery that has
 * failed and says why.
 * @param isLast nobody tries again after this
 * @throws whatever may go better the next time
 */
export async function takeSnapshot(due: SnapshotDue, isLast: boolean): Promise<void> {
  const workspaceId = new ObjectId(due.workspaceId);
  const at = new Date(due.at);
  const snapshot = await collections.snapshots().findOne({ _id: new ObjectId(due.snapshotId), workspaceId });
  // Deleted or switched off meanwhile.
  if (!snapshot?.enabled) return;
  const about = aboutOf(snapshot, at);
  if (await hasEnded(snapshot, about)) return;
  try {
    const timezone = (await schedulesOf(workspaceId, SNAPSHOT_TYPE, [snapshot._id])).get(due.snapshotId)?.timezone;
    const drawn = await drawDashboard(
      workspaceId,
      snapshot.dashboardId,
      {
        filters: snapshot.filters,
        grain: snapshot.grain ?? undefined,
        compare: snapshot.compare ?? undefined,
        timezone: timezone ?? "UTC",
      },
      { theme: snapshot.theme ?? "light", withPdf: snapshot.withPdf ?? false },
      at,
      AbortSignal.timeout(TAKE_TIMEOUT_MS),
    );
    const body = JSON.stringify(
      await toPayload(snapshot, drawn, { at, timezone: timezone ?? "UTC", pictureId: about.runId }),
    );
    const delivery = newDelivery(snapshot, { ...about, resourceName: drawn.title, trigger: "success", body });
    await queueDeliveries(workspaceId, [delivery], "snapshots");
  } catch (error) {
    const isKnown = error instanceof AppError;
    if (!isLast && !(isKnown && HOPELESS.has(error.kind))) throw error;
    if (!isKnown) log.error({ err: error, snapshotId: due.snapshotId }, "a snapshot could not be taken");
    await recordFailure(
      snapshot,
      about,
      isKnown ? error.message : "The picture could not be made for a fault of ours.",
    );
  }
}

/** Records a snapshot that the job runner gave up as a failed delivery, once. */
export async function failSnapshot(due: SnapshotDue): Promise<void> {
  const workspaceId = new ObjectId(due.workspaceId);
  const snapshot = await collections.snapshots().findOne({ _id: new ObjectId(due.snapshotId), workspaceId });
  if (!snapshot) return;
  const about = aboutOf(snapshot, new Date(due.at));
  if (!(await hasEnded(snapshot, about))) await recordFailure(snapshot, about, GIVEN_UP);
}

function aboutOf(snapshot: SnapshotDoc, at: Date) {
  const { workspaceId, dashboardId } = snapshot;
  return { workspaceId, resourceType: "dashboard" as const, resourceId: dashboardId, runId: momentOf(snapshot, at) };
}

async function hasEnded(snapshot: SnapshotDoc, about: ReturnType<typeof aboutOf>): Promise<boolean> {
  const keys = (["success", "failure"] as const).map((trigger) =>
    keyOfDelivery(snapshot, { ...about, resourceName: "", trigger }),
  );
  const { workspaceId } = snapshot;
  const found = await collections.deliveries().findOne({ key: { $in: keys }, workspaceId }, { projection: { _id: 1 } });
  return found !== null;
}

/** What was never sent is in the log of deliveries all the same, with its reason. */
async function recordFailure(
  snapshot: SnapshotDoc,
  about: ReturnType<typeof aboutOf>,
  lastError: string,
): Promise<void> {
  const delivery = newDelivery(snapshot, { ...about, resourceName: "Snapshot", trigger: "failure", body: "{}" });
  const { _id, workspaceId } = snapshot;
  await queueDeliveries(workspaceId, [{ ...delivery, status: "failed", lastError }], "snapshots");
  // Of two at once the one that is there counts; nobody is woken for what waits for nothing.
  const kept = await collections
    .deliveries()
    .findOne({ key: delivery.key, workspaceId }, { projection: { workspaceId: 1 } });
  if (!kept) return;
  await collections.snapshots().updateOne({ _id, workspaceId }, { $max: { lastDeliveryId: kept._id } });
  tellDeliveries([kept]);
}

async function toPayload(
  { _id, workspaceId, dashboardId }: SnapshotDoc,
  { title, png, pdf, words }: DrawnDashboard,
  { at, timezone, pictureId }: { at: Date; timezone: string; pictureId: ObjectId },
): Promise<SnapshotPayload> {
  const slug = await findWorkspaceSlug(workspaceId);
  if (slug === null) throw new AppError("not_found", "This workspace is gone.");
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const isKept = png.length <= FILE_BYTES_MAX;
  const keptPdf = isKept && pdf !== null && pdf.length <= FILE_BYTES_MAX ? pdf : null;
  if (isKept) {
    const picture = {
      dashboardId,
      tokenHash: hashToken(token),
      png: new Binary(png),
      ...(keptPdf && { pdf: new Binary(keptPdf) }),
      createdAt: new Date(),
    };
    await collections
      .snapshotPictures()
      .updateOne({ _id: pictureId, workspaceId }, { $set: picture }, { upsert: true });
  }
  const address = isKept && isSeenOutside(env().publicUrl) ? `${env().publicUrl}/api/snapshots/${token}` : null;
  return {
    version: 1,
    event: "dashboard.snapshot",
    snapshotId: _id.toHexString(),
    dashboardId: dashboardId.toHexString(),
    dashboardTitle: title,
    takenAt: at.toISOString(),
    timezone,
    widgets: words,
    pictureUrl: address,
    pdfUrl: address && keptPdf ? `${address}?as=pdf` : null,
    workspaceId: workspaceId.toHexString(),
    deepLink: `${env().publicUrl}/w/${slug}/dashboards/${dashboardId.toHexString()}`,
  };
}

/**
 * Whether a chat's own servers may find us: one that cannot read a picture refuses the whole message. Names without a dot and
 * those of local networks, and addresses that are private, are nobody's outside.
 */
export function isSeenOutside(publicUrl: string): boolean {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === "unicast";
  return host.includes(".") && !/\.(localhost|local|internal|intranet|lan|home|corp|test|invalid|arpa)$/i.test(host);
}

/** Stands where other deliveries name their run: the same for one moment of one snapshot. */
function momentOf({ _id }: SnapshotDoc, at: Date): ObjectId {
  return new ObjectId(createHash("sha256").update(`${_id.toHexString()}:${at.getTime()}`).digest("hex").slice(0, 24));
}
