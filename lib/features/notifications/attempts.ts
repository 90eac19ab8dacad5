import "server-only";
import { type Document, type Filter, ObjectId } from "mongodb";
import { log } from "@/lib/platform/log";
import { metrics } from "@/lib/platform/metrics/metrics";
import { KeptFetch } from "@/lib/platform/net/kept-fetch";
import { type EgressPolicy, systemPolicy } from "@/lib/platform/net/policy";
import { SealError } from "@/lib/platform/secrets/seal";
import { forgottenAfter, pauseAfter } from "./backoff";
import type { Outcome } from "./channels/channel";
import { openChannel } from "./channels/stored";
import { collections } from "./collections";
import { LEASE_MS, SENDS_MAX } from "./limits";
import { mark } from "./marks";
import type { DeliveryDoc, Sender } from "./model";
import { findResourceOwner } from "./resources";
import type { DeliveryStatus } from "./schema";
import { send } from "./send";
import { senderOf } from "./senders";
import { tellDeliveries } from "./tell";

/** The attempts that are kept of one delivery: its first round and several resends. */
const ATTEMPTS_KEPT = 60;
export const OPEN: DeliveryStatus[] = ["queued", "retrying"];

const INTERRUPTED = "The server stopped before the answer came.";
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
 * Sends a delivery once and records how that went (docs/develop/notifications.md). Safe to call at any time and by many at once:
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
  const rule = await senderOf(workspaceId, claimed);
  const line = new KeptFetch("http", policy);
  try {
    return await carryOut(claimed, { rule, holder, line });
  } finally {
    await line.close();
  }
}

/** Sends a delivery that was taken, and records how that went. */
export async function carryOut(
  claimed: DeliveryDoc,
  { rule, holder, line }: { rule: Sender | null; holder: ObjectId; line: KeptFetch },
): Promise<AttemptResult> {
  const reason = reasonToSkip(claimed, rule);
  if (reason) return finish(claimed, holder, { status: "skipped", lastError: reason });
  const outcome = await trySend(claimed, rule as Sender, line);
  return record(claimed, holder, outcome);
}

/** Takes the delivery and counts the send, in one write. What a send before it has left unrecorded is recorded as such. */
function claim(workspaceId: ObjectId, deliveryId: ObjectId, holder: ObjectId): Promise<DeliveryDoc | null> {
  const filter = { _id: deliveryId, workspaceId, ...IS_FREE };
  return collections.deliveries().findOneAndUpdate(filter, claimFor(holder), { returnDocument: "after" });
}

/** Deliveries that were taken together, and who holds them. */
export type Claimed = { deliveries: DeliveryDoc[]; holder: ObjectId };

/**
 * Takes several deliveries, each as one alone is taken, by two commands for all of them; by three where somebody else
 * takes some of them, or where they have come different ways.
 * @param which of the workspace's
 * @returns at most so many; none when nothing is left to take, or others were quicker
 */
export async function claimSome(workspaceId: ObjectId, which: Filter<DeliveryDoc>, limit: number): Promise<Claimed> {
  const holder = new ObjectId();
  const deliveries = collections.deliveries();
  const found = await deliveries
    .find({ ...IS_FREE, ...which, workspaceId }, { projection: { attemptLog: 0 } })
    .limit(limit)
    .toArray();
  const [first] = found;
  if (first === undefined) return { deliveries: [], holder };
  const { attempts, roundAttempts } = first;
  const isAlike = found.every((each) => each.attempts === attempts && each.roundAttempts === roundAttempts);
  const those = { _id: { $in: found.map(({ _id }) => _id) }, workspaceId };
  const { modifiedCount } = await deliveries.updateMany(
    { ...IS_FREE, ...which, ...those, ...(isAlike && { attempts, roundAttempts }) },
    claimFor(holder),
  );
  if (!isAlike || modifiedCount < found.length) {
    return { deliveries: await deliveries.find({ ...those, "inFlight.holder": holder }).toArray(), holder };
  }
  // All are ours and as they were read, but for what the claim has written.
  const at = new Date();
  const inFlight = { holder, at, until: new Date(at.getTime() + LEASE_MS) };
  const claimed = found.map((each) => ({
    ...each,
    attempts: attempts + 1,
    roundAttempts: roundAttempts + 1,
    inFlight,
  }));
  return { deliveries: claimed, holder };
}

const IS_FREE = {
  status: { $in: OPEN },
  roundAttempts: { $lt: SENDS_MAX },
  $expr: { $lt: ["$inFlight.until", "$$NOW"] },
};

function claimFor(holder: ObjectId): Document[] {
  const interrupted = {
    at: "$inFlight.at",
    httpStatus: null,
    durationMs: null,
    error: INTERRUPTED,
    snippet: null,
  };
  const isInterrupted = { $ne: [{ $type: "$inFlight" }, "missing"] };
  return [
    {
      $set: {
        attempts: { $add: ["$attempts", 1] },
        roundAttempts: { $add: ["$roundAttempts", 1] },
        attemptLog: { $concatArrays: ["$attemptLog", { $cond: [isInterrupted, [interrupted], []] }] },
        inFlight: { holder, at: "$$NOW", until: { $add: ["$$NOW", LEASE_MS] } },
        dueAt: { $add: ["$$NOW", LEASE_MS] },
      },
    },
  ];
}

/** Why a delivery could not be taken: it is final, another server is at it, or all its sends were interrupted. */
export async function settleUnclaimed(workspaceId: ObjectId, deliveryId: ObjectId): Promise<AttemptResult> {
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

/** Why it is not sent after all; null when it is. */
export function reasonToSkip(delivery: DeliveryDoc, rule: Sender | null): string | null {
  if (!rule) return RULE_GONE;
  if (!rule.enabled) return RULE_OFF;
  return rule.channel.type === delivery.channelType ? null : RULE_CHANGED;
}

type Sent = Outcome & { durationMs: number };

async function trySend(delivery: DeliveryDoc, rule: Sender, line: KeptFetch): Promise<Sent> {
  const { workspaceId, resourceType, resourceId, body, webhookId, _id } = delivery;
  try {
    // Read now, so that a secret or an address that was changed meanwhile is the one that counts (T77).
    const channel = openChannel(rule, rule.channel);
    const privateTo = channel.type === "email" ? await findResourceOwner(workspaceId, resourceType, resourceId) : null;
    const message = {
      workspaceId,
      payload: JSON.parse(body),
      pictureId: resourceType === "dashboard" ? delivery.runId : null,
      body,
      webhookId,
      isTest: false,
      deliveryId: _id,
      privateTo,
    };
    return await send(channel, message, line);
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
  const { roundAttempts, channelType: channel } = delivery;
  const isLast = outcome.isHopeless || roundAttempts >= SENDS_MAX;
  metrics().deliveryAttempts.inc({ channel, outcome: error === null ? "sent" : isLast ? "failed" : "retrying" });
  if (error === null) {
    return finish(delivery, holder, { status: "sent", httpStatus, lastError: null, attempt });
  }
  if (isLast) {
    return finish(delivery, holder, { status: "failed", httpStatus, lastError: error, attempt });
  }
  const pauseMs = Math.max(forgottenAfter(roundAttempts), retryAfterMs + LEASE_MS);
  await mark(heldBy(delivery, holder), [
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
  await mark(filter, [
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
