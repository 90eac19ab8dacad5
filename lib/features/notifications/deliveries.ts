import "server-only";
import { ObjectId } from "mongodb";
import { visiblePage } from "@/lib/features/runs/visible-page";
import type { Caller } from "@/lib/platform/access/caller";
import { findPage } from "@/lib/platform/db/find-page";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { log } from "@/lib/platform/log";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { inMs } from "@/lib/platform/work/model";
import { deliveryWork, NOTE_INTERRUPTED, reasonToSkip } from "./attempts";
import type { ChannelType } from "./channels/registry";
import { CHANNEL_TYPES } from "./channels/requests";
import { collections } from "./collections";
import { wakeCalls } from "./enqueue";
import { publishDeliveryEvents } from "./events";
import { type DeliveryDoc, toDelivery, toDeliveryDetails } from "./model";
import type { RuledType } from "./payload-schema";
import { onlyVisible } from "./resources";
import { type Delivery, type DeliveryDetails, type DeliveryStatus, deliveryStatus } from "./schema";
import { senderOf } from "./senders";
import { resourceOf } from "./service";

/**
 * Wakes the sender for deliveries that the job runner is overdue to call for: it was unavailable, or a server crashed
 * between the write and the event.
 * @returns their number
 */
export function sweepDeliveries(): Promise<number> {
  return deliveryWork.sweep((docs) => sendJobEvents(wakeCalls(docs)), [NOTE_INTERRUPTED]);
}

/**
 * Returns the deliveries of a console or flow, newest first.
 * @throws AppError `not_found` for a resource that the caller cannot see, `invalid_request` for an invalid cursor
 */
export async function listDeliveries(
  caller: Caller,
  of: { resourceType: RuledType; resourceId: string },
  page: PageRequest,
): Promise<Page<Delivery>> {
  const resource = await resourceOf(caller, of);
  return findPage(collections.deliveries(), resource, page, { order: "newest" }, toDelivery);
}

type DeliveryFilters = {
  status?: DeliveryStatus | undefined;
  channelType?: ChannelType | undefined;
  ruleId?: string | undefined;
};

/** Returns the deliveries of the workspace that the caller may see, newest first. */
export async function listWorkspaceDeliveries(
  caller: Caller,
  { status, channelType, ruleId, ...page }: PageRequest & DeliveryFilters,
): Promise<Page<Delivery>> {
  const { workspaceId } = caller;
  // A page is read in the order of an index by channel or rule and by status, so that a rare status is not searched for.
  const ofStatus = { status: { $in: status ? [status] : [...deliveryStatus.options] } };
  const filter = {
    workspaceId,
    ...(ruleId && { ruleId: new ObjectId(ruleId), ...ofStatus, ...(channelType && { channelType }) }),
    ...(!ruleId &&
      (channelType ?? status) && {
        channelType: { $in: channelType ? [channelType] : [...CHANNEL_TYPES] },
        ...ofStatus,
      }),
  };
  const found = await visiblePage(caller, collections.deliveries(), filter, page, onlyVisible);
  return { ...found, items: found.items.map(toDelivery) };
}

/**
 * Returns a delivery with its attempts.
 * @throws AppError `not_found`
 */
export async function getDelivery(caller: Caller, deliveryId: ObjectId): Promise<DeliveryDetails> {
  return toDeliveryDetails(await getDeliveryDocOrThrow(caller, deliveryId));
}

/**
 * Queues a failed delivery again: the same record, the same webhook-id, at most six more sends.
 * @throws AppError `not_found`; `conflict` for one that has not failed, or whose rule can no longer send it
 */
export async function resendDelivery(caller: Caller, deliveryId: ObjectId): Promise<Delivery> {
  const { workspaceId } = caller;
  const before = await getDeliveryDocOrThrow(caller, deliveryId);
  const rule = await senderOf(workspaceId, before);
  if (before.resourceType === "dashboard" && before.trigger === "failure") {
    throw new AppError("conflict", "This snapshot was never rendered. Send a new one from the dashboard.");
  }
  const reason = reasonToSkip(before, rule);
  if (reason) throw new AppError("conflict", `${reason} It can't be resent.`);
  const queued = await collections.deliveries().findOneAndUpdate(
    { _id: deliveryId, workspaceId, status: "failed" },
    [
      {
        $set: {
          status: "queued",
          roundAttempts: 0,
          completedAt: null,
          "work.dueAt": inMs(LEASE_MS),
          "work.wakes": { $add: [{ $ifNull: ["$work.wakes", 0] }, 1] },
        },
      },
    ],
    { returnDocument: "after" },
  );
  if (!queued) throw new AppError("conflict", "Only failed deliveries can be resent.");
  publishDeliveryEvents([queued]);
  await sendJobEvents(wakeCalls([queued])).catch((error: unknown) =>
    log.warn(
      { err: error, deliveryId: deliveryId.toHexString() },
      "a delivery is delayed: the job runner is not accepting events",
    ),
  );
  return toDelivery(queued);
}

async function getDeliveryDocOrThrow(caller: Caller, deliveryId: ObjectId): Promise<DeliveryDoc> {
  const doc = await collections.deliveries().findOne({ _id: deliveryId, workspaceId: caller.workspaceId });
  const [visible] = doc ? await onlyVisible(caller, [doc]) : [];
  if (!visible) throw new AppError("not_found", "Delivery not found.");
  return visible;
}
