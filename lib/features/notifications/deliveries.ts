import "server-only";
import { ObjectId } from "mongodb";
import { visiblePage } from "@/lib/features/runs/visible-page";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { type Page, type PageRequest, readCursor, toPage, withExtra } from "@/lib/platform/http/paging";
import { log } from "@/lib/platform/log";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import { reasonToSkip } from "./attempts";
import { collections } from "./collections";
import { LEASE_MS } from "./limits";
import { type DeliveryDoc, toDelivery, toDeliveryDetails } from "./model";
import { onlyVisible } from "./resources";
import type { ChannelType, Delivery, DeliveryDetails, DeliveryStatus, RuledType } from "./schema";
import { senderOf } from "./senders";
import { resourceOf } from "./service";
import { tellDeliveries } from "./tell";
import { wakeCalls } from "./wake";

/** A sender that a sweeper has woken has this long to come. */
const SWEEP_AGAIN_MS = 60_000;
const SWEEP_BATCH = 500;

/**
 * Wakes who sends the deliveries that the job runner should have called for by now: it was away, or somebody died between
 * writing and telling.
 * @returns how many
 */
export async function sweepDeliveries(): Promise<number> {
  let woken = 0;
  for (;;) {
    const docs = await collections
      .deliveries()
      .find({ dueAt: { $exists: true }, $expr: { $lt: ["$dueAt", "$$NOW"] } })
      .sort({ dueAt: 1 })
      .limit(SWEEP_BATCH)
      .project<Pick<DeliveryDoc, "_id" | "workspaceId" | "target" | "attempts" | "sweeps">>({
        workspaceId: 1,
        target: 1,
        attempts: 1,
        sweeps: 1,
      })
      .toArray();
    if (docs.length === 0) return woken;
    // Told first: while the runner is away they stay due.
    await sendJobEvents(wakeCalls(docs));
    const ids = docs.map(({ _id }) => _id);
    await collections
      .deliveries()
      .updateMany({ _id: { $in: ids }, dueAt: { $exists: true } }, [
        { $set: { dueAt: { $add: ["$$NOW", SWEEP_AGAIN_MS] }, sweeps: { $add: ["$sweeps", 1] } } },
      ]);
    woken += docs.length;
  }
}

/**
 * The deliveries of a console or flow, the newest first.
 * @throws AppError `not_found` for a resource that the caller cannot see, `invalid_request` for a bad cursor
 */
export async function listDeliveries(
  caller: Caller,
  of: { resourceType: RuledType; resourceId: string },
  { limit, cursor }: PageRequest,
): Promise<Page<Delivery>> {
  const resource = await resourceOf(caller, of);
  const after = readCursor(cursor);
  const docs = await collections
    .deliveries()
    .find({ ...resource, ...(after && { _id: { $lt: after } }) })
    .sort({ _id: -1 })
    .limit(withExtra(limit))
    .toArray();
  return toPage(docs, limit, toDelivery);
}

type DeliveryFilters = {
  status?: DeliveryStatus | undefined;
  channelType?: ChannelType | undefined;
  ruleId?: string | undefined;
};

/** The deliveries of the whole workspace that the caller may see, the newest first. */
export async function listWorkspaceDeliveries(
  caller: Caller,
  { status, channelType, ruleId, ...page }: PageRequest & DeliveryFilters,
): Promise<Page<Delivery>> {
  const { workspaceId } = caller;
  const filter = {
    workspaceId,
    ...(status && { status }),
    ...(channelType && { channelType }),
    ...(ruleId && { ruleId: new ObjectId(ruleId) }),
  };
  const found = await visiblePage(caller, collections.deliveries(), filter, page, onlyVisible);
  return { ...found, items: found.items.map(toDelivery) };
}

/** One delivery with its attempts. @throws AppError `not_found` */
export async function getDelivery(caller: Caller, deliveryId: ObjectId): Promise<DeliveryDetails> {
  return toDeliveryDetails(await getDeliveryDocOrThrow(caller, deliveryId));
}

/**
 * Queues a delivery that has failed once more: the same record, the same webhook-id, six more sends at the most.
 * @throws AppError `not_found`; `conflict` for one that has not failed, and when its rule cannot send it any more
 */
export async function resendDelivery(caller: Caller, deliveryId: ObjectId): Promise<Delivery> {
  const { workspaceId } = caller;
  const before = await getDeliveryDocOrThrow(caller, deliveryId);
  const rule = await senderOf(workspaceId, before);
  if (before.resourceType === "dashboard" && before.trigger === "failure") {
    throw new AppError("conflict", "This snapshot was never drawn. Send a new one from its dashboard.");
  }
  const reason = reasonToSkip(before, rule);
  if (reason) throw new AppError("conflict", `${reason} It cannot be sent again.`);
  const queued = await collections.deliveries().findOneAndUpdate(
    { _id: deliveryId, workspaceId, status: "failed" },
    [
      {
        $set: {
          status: "queued",
          roundAttempts: 0,
          completedAt: null,
          dueAt: { $add: ["$$NOW", LEASE_MS] },
          sweeps: { $add: ["$sweeps", 1] },
        },
      },
    ],
    { returnDocument: "after" },
  );
  if (!queued) throw new AppError("conflict", "Only a delivery that has failed can be sent again.");
  tellDeliveries([queued]);
  await sendJobEvents(wakeCalls([queued])).catch((error: unknown) =>
    log.warn({ err: error, deliveryId: deliveryId.toHexString() }, "the job runner is away; a sweeper wakes it"),
  );
  return toDelivery(queued);
}

async function getDeliveryDocOrThrow(caller: Caller, deliveryId: ObjectId): Promise<DeliveryDoc> {
  const doc = await collections.deliveries().findOne({ _id: deliveryId, workspaceId: caller.workspaceId });
  const [visible] = doc ? await onlyVisible(caller, [doc]) : [];
  if (!visible) throw new AppError("not_found", "There is no such delivery in this workspace.");
  return visible;
}
