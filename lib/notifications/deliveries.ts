import "server-only";
import { type Document, ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import { AppError } from "@/lib/http/errors";
import { type Page, type PageRequest, readCursor, toPage, withExtra } from "@/lib/http/paging";
import { log } from "@/lib/log";
import { type EgressPolicy, systemPolicy } from "@/lib/net/policy";
import { sendJobEvents } from "@/lib/process/job-events";
import { isShuttingDown } from "@/lib/process/shutdown";
import type { ResourceType } from "@/lib/runs/schema";
import { visiblePage } from "@/lib/runs/visible-page";
import { SealError } from "@/lib/secrets/seal";
import { forgottenAfter, pauseAfter } from "./backoff";
import type { Outcome } from "./channels/channel";
import { openChannel } from "./channels/stored";
import { collections } from "./collections";
import { SENDS_MAX } from "./limits";
import { type DeliveryDoc, type RuleDoc, toDelivery, toDeliveryDetails } from "./model";
import { findResourceOwner, onlyVisible } from "./resources";
import type { ChannelType, Delivery, DeliveryDetails, DeliveryStatus } from "./schema";
import { send } from "./send";
import { resourceOf } from "./service";
import { tellDeliveries } from "./tell";
import { type DeliveryQueued, wakeCalls } from "./wake";

/** A send ends within 10 s; three times that, and its server is given up. */
const LEASE_MS = 30_000;
/** A sender that a sweeper has woken has this long to come. */
const SWEEP_AGAIN_MS = 60_000;
const SWEEP_BATCH = 500;
/** The attempts that are kept of one delivery: its first round and several resends. */
const ATTEMPTS_KEPT = 60;
const OPEN: DeliveryStatus[] = ["queued", "retrying"];

const INTERRUPTED = "The server stopped before the answer came.";
const ELSEWHERE = "Another server is sending it.";
const STOPPING = "This server is stopping.";
const RULE_GONE = "The rule was deleted before this was sent.";
const RULE_OFF = "The rule was disabled before this was sent.";
const RULE_CHANGED = "The rule has another channel now.";
const SECRETS_LOST = "The channel's secrets cannot be opened any more. Enter them in the rule again.";

/**
 * What the job runner does next. `retry`: call again after its own pause, or after `afterMs` when the receiver asked for
 * more. `busy`: another server is at it; call again then, and it will mostly be over.
 */
export type AttemptResult =
  | { state: "final"; status: DeliveryStatus }
  | { state: "retry"; error: string; afterMs: number | null }
  | { state: "busy"; afterMs: number };

/**
 * Sends what an event asks for, each once, one after the other: all go to one host. What is over already is left out, so
 * that a call which is repeated for one of them repeats none of the others.
 * @param policy of the egress door; tests give one of their own
 * @returns for all of them: `retry` when one has to be sent again, not before the longest pause that one has asked for
 */
export async function deliver(
  { workspaceId, deliveryIds }: DeliveryQueued,
  policy: EgressPolicy = systemPolicy(),
): Promise<Exclude<AttemptResult, { state: "busy" }>> {
  const ids = deliveryIds.map((id) => new ObjectId(id));
  const isOpen = { _id: { $in: ids }, workspaceId: new ObjectId(workspaceId), status: { $in: OPEN } };
  const open =
    ids.length === 1
      ? ids
      : await collections
          .deliveries()
          .find(isOpen, { projection: { _id: 1 } })
          .map(({ _id }) => _id)
          .toArray();
  let all: Exclude<AttemptResult, { state: "busy" }> = { state: "final", status: "sent" };
  for (const id of open) {
    // What is left is called for again: a server that stops begins no more sends.
    if (isShuttingDown()) return { state: "retry", error: STOPPING, afterMs: null };
    const one = await attemptDelivery(isOpen.workspaceId, id, policy);
    if (one.state === "final") {
      if (all.state === "final") all = one;
      continue;
    }
    const afterMs = Math.max(one.afterMs ?? 0, all.state === "retry" ? (all.afterMs ?? 0) : 0);
    const error = one.state === "retry" ? one.error : ELSEWHERE;
    all = { state: "retry", error, afterMs: afterMs === 0 ? null : afterMs };
  }
  return all;
}

/**
 * Sends a delivery once and records how that went (docs/notifications.md). Safe to call at any time and by many at once:
 * one of them sends, and none when it is final.
 * @param policy of the egress door; tests give one of their own
 */
export async function attemptDelivery(
  workspaceId: ObjectId,
  deliveryId: ObjectId,
  policy: EgressPolicy = systemPolicy(),
): Promise<AttemptResult> {
  const holder = new ObjectId();
  const claimed = await claim(workspaceId, deliveryId, holder);
  if (!claimed) return settleUnclaimed(workspaceId, deliveryId);
  const rule = await collections.notificationRules().findOne({ _id: claimed.ruleId, workspaceId });
  const reason = reasonToSkip(claimed, rule);
  if (reason) return finish(claimed, holder, { status: "skipped", lastError: reason });
  const outcome = await trySend(claimed, rule as RuleDoc, policy);
  return record(claimed, holder, outcome);
}

/** Takes the delivery and counts the send, in one write. What a send before it has left unrecorded is recorded as such. */
function claim(workspaceId: ObjectId, deliveryId: ObjectId, holder: ObjectId): Promise<DeliveryDoc | null> {
  const interrupted = {
    at: "$inFlight.at",
    httpStatus: null,
    durationMs: null,
    error: INTERRUPTED,
    snippet: null,
  };
  const isInterrupted = { $ne: [{ $type: "$inFlight" }, "missing"] };
  return collections.deliveries().findOneAndUpdate(
    {
      _id: deliveryId,
      workspaceId,
      status: { $in: OPEN },
      roundAttempts: { $lt: SENDS_MAX },
      $expr: { $lt: ["$inFlight.until", "$$NOW"] },
    },
    [
      {
        $set: {
          attempts: { $add: ["$attempts", 1] },
          roundAttempts: { $add: ["$roundAttempts", 1] },
          attemptLog: { $concatArrays: ["$attemptLog", { $cond: [isInterrupted, [interrupted], []] }] },
          inFlight: { holder, at: "$$NOW", until: { $add: ["$$NOW", LEASE_MS] } },
          dueAt: { $add: ["$$NOW", LEASE_MS] },
        },
      },
    ],
    { returnDocument: "after" },
  );
}

/** Why a delivery could not be taken: it is final, another server is at it, or all its sends were interrupted. */
async function settleUnclaimed(workspaceId: ObjectId, deliveryId: ObjectId): Promise<AttemptResult> {
  const filter = { _id: deliveryId, workspaceId };
  const exhausted = {
    ...filter,
    status: { $in: OPEN },
    roundAttempts: { $gte: SENDS_MAX },
    $expr: { $lt: ["$inFlight.until", "$$NOW"] },
  };
  const { modifiedCount } = await collections
    .deliveries()
    .updateOne(exhausted, [
      { $set: { status: "failed", lastError: { $literal: INTERRUPTED }, completedAt: "$$NOW" } },
      { $unset: ["inFlight", "dueAt"] },
    ]);
  if (modifiedCount > 0) tellDeliveries([filter]);
  const doc = await collections.deliveries().findOne(filter, { projection: { status: 1 } });
  // Gone with its workspace, or after its 30 days.
  if (!doc) return { state: "final", status: "skipped" };
  return OPEN.includes(doc.status) ? { state: "busy", afterMs: LEASE_MS } : { state: "final", status: doc.status };
}

function reasonToSkip(delivery: DeliveryDoc, rule: RuleDoc | null): string | null {
  if (!rule) return RULE_GONE;
  if (!rule.enabled) return RULE_OFF;
  return rule.channel.type === delivery.channelType ? null : RULE_CHANGED;
}

type Sent = Outcome & { durationMs: number };

async function trySend(delivery: DeliveryDoc, rule: RuleDoc, policy: EgressPolicy): Promise<Sent> {
  const { workspaceId, resourceType, resourceId, body, webhookId, _id } = delivery;
  try {
    // Read now, so that a secret or an address that was changed meanwhile is the one that counts (T77).
    const channel = openChannel(rule, rule.channel);
    const privateTo = channel.type === "email" ? await findResourceOwner(workspaceId, resourceType, resourceId) : null;
    const message = {
      workspaceId,
      payload: JSON.parse(body),
      body,
      webhookId,
      isTest: false,
      deliveryId: _id,
      privateTo,
    };
    return await send(channel, message, policy);
  } catch (error) {
    const failed = { httpStatus: null, durationMs: 0, snippet: null };
    if (error instanceof SealError) return { ...failed, error: SECRETS_LOST, isHopeless: true };
    log.error({ err: error, deliveryId: _id.toHexString() }, "a notification could not be sent for a fault of ours");
    return { ...failed, error: "The message could not be sent for a fault of this server." };
  }
}

async function record(delivery: DeliveryDoc, holder: ObjectId, outcome: Sent): Promise<AttemptResult> {
  const { httpStatus, error, snippet, durationMs, retryAfterMs = 0 } = outcome;
  const attempt = { at: delivery.inFlight?.at ?? new Date(), httpStatus, durationMs, error, snippet };
  const { roundAttempts } = delivery;
  if (error === null) {
    return finish(delivery, holder, { status: "sent", httpStatus, lastError: null, attempt });
  }
  if (outcome.isHopeless || roundAttempts >= SENDS_MAX) {
    return finish(delivery, holder, { status: "failed", httpStatus, lastError: error, attempt });
  }
  const pauseMs = Math.max(forgottenAfter(roundAttempts), retryAfterMs + LEASE_MS);
  await collections.deliveries().updateOne(heldBy(delivery, holder), [
    {
      $set: {
        status: "retrying",
        httpStatus,
        lastError: { $literal: error },
        attemptLog: withAttempt(attempt),
        dueAt: { $add: ["$$NOW", pauseMs] },
      },
    },
    { $unset: "inFlight" },
  ]);
  tellDeliveries([delivery]);
  // The runner's own pause unless the receiver asks for more.
  return { state: "retry", error, afterMs: retryAfterMs > pauseAfter(roundAttempts) ? retryAfterMs : null };
}

type Final = {
  status: "sent" | "failed" | "skipped";
  lastError: string | null;
  httpStatus?: number | null;
  attempt?: DeliveryDoc["attemptLog"][number];
};

async function finish(delivery: DeliveryDoc, holder: ObjectId, final: Final): Promise<AttemptResult> {
  const { status, lastError, httpStatus, attempt } = final;
  // What a receiver has accepted counts whoever sent it: it must not be sent again.
  const filter =
    status === "sent"
      ? { _id: delivery._id, workspaceId: delivery.workspaceId, status: { $in: OPEN } }
      : heldBy(delivery, holder);
  await collections.deliveries().updateOne(filter, [
    {
      $set: {
        status,
        lastError: { $literal: lastError },
        completedAt: "$$NOW",
        ...(status === "sent" && { sentAt: "$$NOW" }),
        ...(httpStatus !== undefined && { httpStatus }),
        ...(attempt && { attemptLog: withAttempt(attempt) }),
        // Nothing was sent, so nothing is counted.
        ...(status === "skipped" && { attempts: { $subtract: ["$attempts", 1] } }),
      },
    },
    { $unset: ["inFlight", "dueAt"] },
  ]);
  tellDeliveries([delivery]);
  return { state: "final", status };
}

function withAttempt(attempt: DeliveryDoc["attemptLog"][number]): Document {
  return { $slice: [{ $concatArrays: ["$attemptLog", [{ $literal: attempt }]] }, -ATTEMPTS_KEPT] };
}

function heldBy({ _id, workspaceId }: DeliveryDoc, holder: ObjectId): Document {
  return { _id, workspaceId, status: { $in: OPEN }, "inFlight.holder": holder };
}

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
  of: { resourceType: ResourceType; resourceId: string },
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
  const rule = await collections.notificationRules().findOne({ _id: before.ruleId, workspaceId });
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
