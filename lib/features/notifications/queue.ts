import "server-only";
import { createHash } from "node:crypto";
import { type Collection, ObjectId } from "mongodb";
import { log } from "@/lib/platform/log";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { waitingWork } from "@/lib/platform/work/model";
import { hostOf, openChannel } from "./channels/stored";
import { collections } from "./collections";
import { firstCalls } from "./enqueue";
import { publishDeliveryEvents } from "./events";
import type { DeliveryDoc, Sender } from "./model";

/** A delivery before the store has set its time. */
export type Queued = Omit<DeliveryDoc, "createdAt">;
type Senders = "rules" | "snapshots";

/** Stores deliveries, each key once, even if called several times, and wakes the sender for those that wait. */
export async function queueDeliveries(
  workspaceId: ObjectId,
  queued: readonly Queued[],
  senders: Senders,
): Promise<void> {
  // The unique key decides which of many concurrent inserts wins (T80). Times are the store's.
  await collections.deliveries().bulkWrite(
    queued.map(({ key, ...doc }) => ({
      updateOne: {
        filter: { key },
        update: [
          {
            $replaceWith: {
              $cond: [
                { $eq: [{ $type: "$status" }, "missing"] },
                {
                  $mergeObjects: [
                    { $literal: { ...doc, key } },
                    doc.status === "queued"
                      ? { createdAt: "$$NOW", work: waitingWork(LEASE_MS) }
                      : { createdAt: "$$NOW", completedAt: "$$NOW" },
                  ],
                },
                "$$ROOT",
              ],
            },
          },
        ],
        upsert: true,
      },
    })),
    { ordered: false },
  );
  await wake(
    queued.map(({ key }) => key),
    workspaceId,
    senders,
  );
}

async function wake(keys: string[], workspaceId: ObjectId, senders: Senders): Promise<void> {
  const docs = await collections
    .deliveries()
    .find({ key: { $in: keys }, workspaceId, status: "queued", attempts: 0 })
    .project<Pick<DeliveryDoc, "_id" | "workspaceId" | "target" | "attempts" | "work" | "ruleId">>({
      workspaceId: 1,
      target: 1,
      attempts: 1,
      "work.wakes": 1,
      ruleId: 1,
    })
    .toArray();
  publishDeliveryEvents(docs);
  await Promise.all([
    firstCalls(docs).then(sendJobEvents),
    docs.length > 0 &&
      sendersIn(senders).bulkWrite(
        docs.map(({ _id, ruleId }) => ({
          updateOne: { filter: { _id: ruleId, workspaceId }, update: { $max: { lastDeliveryId: _id } } },
        })),
        { ordered: false },
      ),
  ]);
}

function sendersIn(senders: Senders): Collection<Sender & { lastDeliveryId?: ObjectId }> {
  const found = senders === "rules" ? collections.notificationRules() : collections.snapshots();
  return found as unknown as Collection<Sender & { lastDeliveryId?: ObjectId }>;
}

type About = Pick<
  DeliveryDoc,
  "workspaceId" | "resourceType" | "resourceId" | "resourceName" | "runId" | "trigger" | "body"
>;

/** Returns the unique key of a delivery: one event creates one delivery for each rule or snapshot. */
export function keyOfDelivery(
  sender: Sender,
  { resourceType, resourceId, runId, trigger }: Omit<About, "body">,
): string {
  const ids = [resourceType, resourceId.toHexString(), runId.toHexString(), trigger];
  return [...ids, sender.channel.type, sender._id.toHexString()].join(":");
}

/** Returns a delivery that waits for its first send. */
export function newDelivery(sender: Sender, about: About): Queued {
  const key = keyOfDelivery(sender, about);
  return {
    _id: new ObjectId(),
    key,
    ...about,
    ruleId: sender._id,
    channelType: sender.channel.type,
    target: targetOf(sender),
    webhookId: `msg_${createHash("sha256").update(key).digest("hex").slice(0, 32)}`,
    status: "queued",
    attempts: 0,
    roundAttempts: 0,
    attemptLog: [],
    httpStatus: null,
    lastError: null,
    sentAt: null,
    completedAt: null,
  };
}

/**
 * Groups one workspace's deliveries to one host. A rule whose secrets cannot be decrypted gets a separate target, and
 * fails in it.
 */
function targetOf(rule: Sender): string {
  let host: string;
  try {
    host = hostOf(openChannel(rule, rule.channel));
  } catch (error) {
    log.warn({ err: error, ruleId: rule._id.toHexString() }, "failed to decrypt the channel of a rule");
    host = rule._id.toHexString();
  }
  return createHash("sha256").update(`${rule.workspaceId.toHexString()}:${host}`).digest("hex").slice(0, 24);
}
