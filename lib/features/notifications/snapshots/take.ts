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
import { publishDeliveryEvents } from "../events";
import type { SnapshotDoc } from "../model";
import type { SnapshotPayload } from "../payload-schema";
import { keyOfDelivery, newDelivery, queueDeliveries } from "../queue";

/** Resource type of snapshots in `lib/features/runs/schedules`. */
export const SNAPSHOT_TYPE = "dashboard_snapshot";
/** Event that starts a snapshot that is due. */
export const SNAPSHOT_DUE_EVENT = "dashboard/snapshot.due";
/**
 * Maximum size of each file. Two are far below the store's limit of a document; a full page of noise is about three
 * megabytes.
 */
const FILE_BYTES_MAX = 6 * 1024 * 1024;
/**
 * Timeout, in ms. Loading uncached data is within the limits of queries; anything longer than all of them is abandoned.
 */
const TAKE_TIMEOUT_MS = 30 * 60_000;
/** Size of a token, too large to guess. */
const TOKEN_BYTES = 24;
/** Errors that a retry cannot resolve. */
const HOPELESS: ReadonlySet<string> = new Set(["not_found", "forbidden", "invalid_request", "too_large"]);

const GIVEN_UP =
  "The server stopped unexpectedly during this snapshot. Simplify the dashboard's charts, then send it again.";

export type SnapshotDue = { workspaceId: string; snapshotId: string; at: string };

/** Returns the event for one snapshot at one time, with the same id for every sender. */
export function toTakeEvent({ _id, workspaceId }: SnapshotDoc, at: Date): JobEvent {
  const snapshotId = _id.toHexString();
  return {
    name: SNAPSHOT_DUE_EVENT,
    id: `${SNAPSHOT_DUE_EVENT}:${snapshotId}:${at.getTime()}`,
    data: { workspaceId: workspaceId.toHexString(), snapshotId, at: at.toISOString() } satisfies SnapshotDue,
  };
}

/**
 * Renders a dashboard and queues the message, once for each time, even if called several times. If it cannot be
 * rendered, records a failed delivery with the reason.
 * @param isLast true for the last attempt
 * @throws errors that a retry may resolve
 */
export async function takeSnapshot(due: SnapshotDue, isLast: boolean): Promise<void> {
  const workspaceId = new ObjectId(due.workspaceId);
  const at = new Date(due.at);
  const snapshot = await collections.snapshots().findOne({ _id: new ObjectId(due.snapshotId), workspaceId });
  // It was deleted or disabled after it was queued.
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
    if (!isKnown) log.error({ err: error, snapshotId: due.snapshotId }, "failed to render a snapshot");
    await recordFailure(
      snapshot,
      about,
      isKnown ? error.message : "Couldn't render the image because of a server error.",
    );
  }
}

/** Records a failed delivery, once, for a snapshot that the job runner gave up. */
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

/** Records a message that was never sent in the log of deliveries, with its reason. */
async function recordFailure(
  snapshot: SnapshotDoc,
  about: ReturnType<typeof aboutOf>,
  lastError: string,
): Promise<void> {
  const delivery = newDelivery(snapshot, { ...about, resourceName: "Snapshot", trigger: "failure", body: "{}" });
  const { _id, workspaceId } = snapshot;
  await queueDeliveries(workspaceId, [{ ...delivery, status: "failed", lastError }], "snapshots");
  // With concurrent calls the stored delivery counts. A failed one needs no sender.
  const kept = await collections
    .deliveries()
    .findOne({ key: delivery.key, workspaceId }, { projection: { workspaceId: 1 } });
  if (!kept) return;
  await collections.snapshots().updateOne({ _id, workspaceId }, { $max: { lastDeliveryId: kept._id } });
  publishDeliveryEvents([kept]);
}

async function toPayload(
  { _id, workspaceId, dashboardId }: SnapshotDoc,
  { title, png, pdf, words }: DrawnDashboard,
  { at, timezone, pictureId }: { at: Date; timezone: string; pictureId: ObjectId },
): Promise<SnapshotPayload> {
  const slug = await findWorkspaceSlug(workspaceId);
  if (slug === null) throw new AppError("not_found", "The workspace was deleted.");
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
 * Returns whether a chat's servers can reach this server: a chat that cannot load a picture rejects the whole message.
 * Private addresses, names without a dot and names of local networks cannot be reached.
 */
export function isSeenOutside(publicUrl: string): boolean {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === "unicast";
  return host.includes(".") && !/\.(localhost|local|internal|intranet|lan|home|corp|test|invalid|arpa)$/i.test(host);
}

/** Returns an id in place of a run's: the same for one time of one snapshot. */
function momentOf({ _id }: SnapshotDoc, at: Date): ObjectId {
  return new ObjectId(createHash("sha256").update(`${_id.toHexString()}:${at.getTime()}`).digest("hex").slice(0, 24));
}
