import "server-only";
import { type Document, type Filter, ObjectId, type WithId } from "mongodb";
import { log } from "@/lib/platform/log";
import { metrics } from "@/lib/platform/metrics/metrics";
import { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import { type EgressPolicy, systemPolicy } from "@/lib/platform/net/policy";
import { SealError } from "@/lib/platform/secrets/seal";
import { claimStages, DurableWork, NOTHING_DUE, releaseStages } from "@/lib/platform/work/durable-work";
import type { Claim } from "@/lib/platform/work/heartbeat";
import { LEASE_MS } from "@/lib/platform/work/limits";
import type { Work } from "@/lib/platform/work/model";
import { forgottenAfter, pauseAfter } from "./backoff";
import type { Outcome } from "./channels/channel";
import { openChannel } from "./channels/stored";
import { collections } from "./collections";
import { mark } from "./delivery-outcome-writer";
import { publishDeliveryEvents } from "./events";
import { SENDS_MAX } from "./limits";
import type { DeliveryDoc, Sender } from "./model";
import { findResourceOwner } from "./resources";
import type { DeliveryStatus } from "./schema";
import { send } from "./send";
import { senderOf } from "./senders";
import { findSnapshotFiles } from "./snapshots/picture";

/** Maximum number of stored attempts of a delivery: its first round and several resends. */
const ATTEMPTS_KEPT = 60;
export const OPEN: DeliveryStatus[] = ["queued", "retrying"];

const NEW_WORK: Work = { starts: 1, lapses: 0, fruitlessLapses: 0, wakes: 0 };
export const deliveryWork = new DurableWork(collections.deliveries);

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
  const filter = { _id: deliveryId, workspaceId, ...IS_OPEN };
  const claimed = await deliveryWork.claim(filter, { before: [NOTE_INTERRUPTED], stages: [COUNT_SEND] });
  if (!claimed) return settleUnclaimed(workspaceId, deliveryId);
  const rule = await senderOf(workspaceId, claimed.doc);
  const line = new KeepAliveClient("http", policy);
  try {
    return await sendClaimed({ delivery: claimed.doc, claim: claimed.claim }, { rule, line });
  } finally {
    await line.close();
  }
}

/** A delivery that this server may send. */
export type Claimed = { delivery: DeliveryDoc; claim: Claim };

/** Sends a claimed delivery, and records the result. */
export async function sendClaimed(
  { delivery, claim }: Claimed,
  { rule, line }: { rule: Sender | null; line: KeepAliveClient },
): Promise<AttemptResult> {
  try {
    const reason = reasonToSkip(delivery, rule);
    if (reason) return await finish(delivery, claim, { status: "skipped", lastError: reason });
    const outcome = await trySend(delivery, rule as Sender, line);
    return await record(delivery, claim, outcome);
  } finally {
    // Without a recorded result, the delivery is sent again once the lease has lapsed.
    claim.drop();
  }
}

/**
 * Claims several deliveries, each as one alone is claimed, with two commands for all of them. It takes three if another
 * server claims some of them, or if they differ in the number of sends.
 * @param which filter within the workspace
 * @returns at most `limit` deliveries; none if no delivery is free
 */
export async function claimSome(workspaceId: ObjectId, which: Filter<DeliveryDoc>, limit: number): Promise<Claimed[]> {
  const token = new ObjectId();
  const hold = (delivery: WithId<DeliveryDoc>) => ({ delivery, claim: deliveryWork.hold(delivery, token) });
  const deliveries = collections.deliveries();
  const found = await deliveries
    .find({ ...IS_OPEN, ...which, workspaceId, ...DurableWork.FREE }, { projection: { attemptLog: 0 } })
    .limit(limit)
    .toArray();
  const [first] = found;
  if (first === undefined) return [];
  const { attempts, roundAttempts } = first;
  const isAlike = found.every((each) => each.attempts === attempts && each.roundAttempts === roundAttempts);
  const those = { _id: { $in: found.map(({ _id }) => _id) }, workspaceId };
  const { modifiedCount } = await deliveries.updateMany(
    { ...IS_OPEN, ...which, ...those, ...(isAlike && { attempts, roundAttempts }), ...DurableWork.FREE },
    [NOTE_INTERRUPTED, ...claimStages(token), COUNT_SEND],
  );
  if (!isAlike || modifiedCount < found.length) {
    return (await deliveries.find({ ...those, "work.claim.token": token }).toArray()).map(hold);
  }
  // All are held by this server and unchanged since they were read, except for the claim.
  const claim = { token, at: new Date() };
  return found.map((each) =>
    hold({
      ...each,
      attempts: attempts + 1,
      roundAttempts: roundAttempts + 1,
      work: { ...NEW_WORK, ...each.work, claim },
    }),
  );
}

const IS_OPEN = { status: { $in: OPEN }, roundAttempts: { $lt: SENDS_MAX } };

const COUNT_SEND: Document = {
  $set: { attempts: { $add: ["$attempts", 1] }, roundAttempts: { $add: ["$roundAttempts", 1] } },
};

/** Stage that records a send without a result, before its claim ends. */
export const NOTE_INTERRUPTED: Document = {
  $set: {
    attemptLog: {
      $concatArrays: [
        "$attemptLog",
        {
          $cond: [
            { $ne: [{ $type: "$work.claim" }, "missing"] },
            [{ at: "$work.claim.at", httpStatus: null, durationMs: null, error: INTERRUPTED, snippet: null }],
            [],
          ],
        },
      ],
    },
  },
};

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
    ...DurableWork.FREE,
  };
  const { modifiedCount } = await collections
    .deliveries()
    .updateOne(exhausted, [
      { $set: { status: "failed", lastError: { $literal: INTERRUPTED }, completedAt: "$$NOW" } },
      NOTHING_DUE,
    ]);
  if (modifiedCount > 0) publishDeliveryEvents([filter]);
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
  const { workspaceId, resourceType, resourceId, runId, body, webhookId, _id } = delivery;
  try {
    // Read now, so that the current secret and address are used, not those at the time of queueing (T77).
    const channel = openChannel(rule, rule.channel);
    const message = {
      workspaceId,
      payload: JSON.parse(body),
      body,
      webhookId,
      isTest: false,
      deliveryId: _id,
      findFiles: () => (resourceType === "dashboard" ? findSnapshotFiles(workspaceId, runId) : Promise.resolve(null)),
      findOwner: () => findResourceOwner(workspaceId, resourceType, resourceId),
    };
    return await send(channel, message, line);
  } catch (error) {
    const failed = { httpStatus: null, durationMs: 0, snippet: null };
    if (error instanceof SealError) return { ...failed, error: SECRETS_LOST, isHopeless: true };
    log.error({ err: error, deliveryId: _id.toHexString() }, "a notification failed because of an internal error");
    return { ...failed, error: "The message could not be sent because of a server error." };
  }
}

async function record(delivery: DeliveryDoc, claim: Claim, outcome: Sent): Promise<AttemptResult> {
  const { httpStatus, error, snippet, durationMs, retryAfterMs = 0 } = outcome;
  const attempt = { at: delivery.work?.claim?.at ?? new Date(), httpStatus, durationMs, error, snippet };
  const { roundAttempts, channelType: channel } = delivery;
  const isLast = outcome.isHopeless || roundAttempts >= SENDS_MAX;
  metrics().deliveryAttempts.inc({ channel, outcome: error === null ? "sent" : isLast ? "failed" : "retrying" });
  if (error === null) {
    return finish(delivery, claim, { status: "sent", httpStatus, lastError: null, attempt });
  }
  if (isLast) {
    return finish(delivery, claim, { status: "failed", httpStatus, lastError: error, attempt });
  }
  const pauseMs = Math.max(forgottenAfter(roundAttempts), retryAfterMs + LEASE_MS);
  await mark(heldBy(claim), [
    {
      $set: {
        status: "retrying",
        httpStatus,
        lastError: { $literal: error },
        attemptLog: withAttempt(attempt),
      },
    },
    ...releaseStages(pauseMs),
  ]);
  publishDeliveryEvents([delivery]);
  // The runner's pause applies unless the receiver asks for a longer one.
  return { state: "retry", error, afterMs: retryAfterMs > pauseAfter(roundAttempts) ? retryAfterMs : null };
}

type Final = {
  status: "sent" | "failed" | "skipped";
  lastError: string | null;
  httpStatus?: number | null;
  attempt?: DeliveryDoc["attemptLog"][number];
};

async function finish(delivery: DeliveryDoc, claim: Claim, final: Final): Promise<AttemptResult> {
  const { status, lastError, httpStatus, attempt } = final;
  // A receiver's acceptance counts, whichever server sent it: the delivery must not be sent again.
  const filter =
    status === "sent" ? { _id: delivery._id, workspaceId: delivery.workspaceId, status: { $in: OPEN } } : heldBy(claim);
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
    NOTHING_DUE,
  ]);
  publishDeliveryEvents([delivery]);
  return { state: "final", status };
}

function withAttempt(attempt: DeliveryDoc["attemptLog"][number]): Document {
  return { $slice: [{ $concatArrays: ["$attemptLog", [{ $literal: attempt }]] }, -ATTEMPTS_KEPT] };
}

function heldBy({ held }: Claim): Document {
  return { ...held, status: { $in: OPEN } };
}
