import "server-only";
import { type Document, type Filter, ObjectId } from "mongodb";
import { log } from "@/lib/platform/log";
import { metrics } from "@/lib/platform/metrics/metrics";
import { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import { type EgressPolicy, systemPolicy } from "@/lib/platform/net/policy";
import { SealError } from "@/lib/platform/secrets/seal";
import { forgottenAfter, pauseAfter } from "./backoff";
import type { Outcome } from "./channels/channel";
import { openChannel } from "./channels/stored";
import { collections } from "./collections";
import { mark } from "./delivery-outcome-writer";
import { tellDeliveries } from "./events";
import { LEASE_MS, SENDS_MAX } from "./limits";
import type { DeliveryDoc, Sender } from "./model";
import { findResourceOwner } from "./resources";
import type { DeliveryStatus } from "./schema";
import { send } from "./send";
import { senderOf } from "./senders";

/** Maximum number of stored attempts of a delivery: its first round and several resends. */
const ATTEMPTS_KEPT = 60;
export const OPEN: DeliveryStatus[] = ["queued", "retrying"];

const INTERRUPTED = "The server stopped before it received a response.";
const RULE_GONE = "The rule was deleted before delivery.";
const RULE_OFF = "The rule was disabled before delivery.";
const RULE_CHANGED = "The rule's channel has changed.";
const SECRETS_LOST = "The channel's secrets can't be decrypted. Enter them again in the rule.";

/**
 * Next action of the job runner. `retry`: call again after the runner's pause, or after `afterMs` if the receiver asked
 * for longer. `busy`: another server is sending it; call again after the pause, when it is usually complete.
 */
export type AttemptResult =
  | { state: "final"; status: DeliveryStatus }
  | { state: "retry"; error: string; afterMs: number | null }
  | { state: "busy"; afterMs: number };

/**
 * Sends a delivery once and records the result (docs/develop/notifications.md). Safe to call at any time and
 * concurrently: one call sends, and none does when the status is final.
 * @param policy policy of the egress proxy; tests pass their own
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
  const line = new KeepAliveClient("http", policy);
  try {
    return await sendClaimed(claimed, { rule, holder, line });
  } finally {
    await line.close();
  }
}

/** Sends a claimed delivery, and records the result. */
export async function sendClaimed(
  claimed: DeliveryDoc,
  { rule, holder, line }: { rule: Sender | null; holder: ObjectId; line: KeepAliveClient },
): Promise<AttemptResult> {
  const reason = reasonToSkip(claimed, rule);
  if (reason) return finish(claimed, holder, { status: "skipped", lastError: reason });
  const outcome = await trySend(claimed, rule as Sender, line);
  return record(claimed, holder, outcome);
}

/**
 * Claims the delivery and counts the send, in one write. If an earlier send has no recorded result, records it as
 * interrupted.
 */
function claim(workspaceId: ObjectId, deliveryId: ObjectId, holder: ObjectId): Promise<DeliveryDoc | null> {
  const filter = { _id: deliveryId, workspaceId, ...IS_FREE };
  return collections.deliveries().findOneAndUpdate(filter, claimFor(holder), { returnDocument: "after" });
}

/** Deliveries that were claimed together, and their holder. */
export type Claimed = { deliveries: DeliveryDoc[]; holder: ObjectId };

/**
 * Claims several deliveries, each as one alone is claimed, with two commands for all of them. It takes three if another
 * server claims some of them, or if they differ in the number of sends.
 * @param which filter within the workspace
 * @returns at most `limit` deliveries; none if no delivery is free
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
  // All are held by this server and unchanged since they were read, except for the claim.
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

/**
 * Returns why a delivery could not be claimed: its status is final, another server is sending it, or all its sends were
 * interrupted.
 */
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
  // Deleted with its workspace, or after 30 days.
  if (!doc) return { state: "final", status: "skipped" };
  return OPEN.includes(doc.status) ? { state: "busy", afterMs: LEASE_MS } : { state: "final", status: doc.status };
}

/** Returns the reason to skip a delivery; null to send it. */
export function reasonToSkip(delivery: DeliveryDoc, rule: Sender | null): string | null {
  if (!rule) return RULE_GONE;
  if (!rule.enabled) return RULE_OFF;
  return rule.channel.type === delivery.channelType ? null : RULE_CHANGED;
}

type Sent = Outcome & { durationMs: number };

async function trySend(delivery: DeliveryDoc, rule: Sender, line: KeepAliveClient): Promise<Sent> {
  const { workspaceId, resourceType, resourceId, body, webhookId, _id } = delivery;
  try {
    // Read now, so that the current secret and address are used, not those at the time of queueing (T77).
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
    return { ...failed, error: "The message could not be sent because of a server error." };
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
  // The runner's pause applies unless the receiver asks for a longer one.
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
  // A receiver's acceptance counts, whichever server sent it: the delivery must not be sent again.
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
        // Nothing was sent, so the attempt does not count.
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
