import "server-only";
import { createHash } from "node:crypto";
import { ObjectId } from "mongodb";
import { log } from "@/lib/log";
import { sendJobEvents } from "@/lib/process/job-events";
import type { RunEnded } from "@/lib/runs/ends";
import type { RunDoc } from "@/lib/runs/model";
import { findRunById } from "@/lib/runs/service";
import { findWorkspaceSlug } from "@/lib/workspaces/service";
import { hostOf, openChannel } from "./channels/stored";
import { collections } from "./collections";
import type { DeliveryDoc, RuleDoc } from "./model";
import { toPayload } from "./payload";
import { tellDeliveries } from "./tell";
import { firstCalls } from "./wake";

/** Until a delivery that was queued and that nobody has taken is looked after. */
const QUEUE_PATIENCE_MS = 30_000;

/**
 * Queues one delivery for each rule that the end of a run fires, and wakes who sends them. The same event again, also a
 * hundred times at once, adds none (docs/notifications.md).
 */
export async function fanOut(ended: RunEnded): Promise<void> {
  if (!ended.trigger) return;
  const workspaceId = new ObjectId(ended.workspaceId);
  const run = await findRunById(workspaceId, new ObjectId(ended.runId));
  // The stored run is the truth: an event that says something else of it is none of ours.
  if (!run || run.status !== ended.trigger || !run.completedAt) return;
  const slug = await findWorkspaceSlug(workspaceId);
  if (slug === null) return;
  const rules = await collections
    .notificationRules()
    .find({
      workspaceId,
      resourceType: run.resourceType,
      resourceId: run.resourceId,
      enabled: true,
      triggers: run.status,
    })
    .toArray();
  if (rules.length === 0) return;
  const body = JSON.stringify(
    toPayload(
      {
        trigger: ended.trigger,
        resourceType: run.resourceType,
        resourceId: run.resourceId.toHexString(),
        resourceName: run.resourceName,
        runId: run._id.toHexString(),
        completedAt: run.completedAt.toISOString(),
        durationMs: run.durationMs ?? 0,
        rowCount: run.rowCount,
        errorMessage: run.error,
        triggerType: run.triggerType,
        workspaceId: ended.workspaceId,
      },
      slug,
    ),
  );
  const queued = rules.map((rule) => toQueued(rule, run, ended.trigger as "success" | "failure", body));
  // The unique key decides which of many at once is the one (T80). Its times are the store's.
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
                    { createdAt: "$$NOW", dueAt: { $add: ["$$NOW", QUEUE_PATIENCE_MS] } },
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
  );
}

async function wake(keys: string[], workspaceId: ObjectId): Promise<void> {
  const docs = await collections
    .deliveries()
    .find({ key: { $in: keys }, workspaceId, status: "queued", attempts: 0 })
    .project<Pick<DeliveryDoc, "_id" | "workspaceId" | "target" | "attempts" | "sweeps" | "ruleId">>({
      workspaceId: 1,
      target: 1,
      attempts: 1,
      sweeps: 1,
      ruleId: 1,
    })
    .toArray();
  tellDeliveries(docs);
  await Promise.all([
    firstCalls(docs).then(sendJobEvents),
    docs.length > 0 &&
      collections.notificationRules().bulkWrite(
        docs.map(({ _id, ruleId }) => ({
          updateOne: { filter: { _id: ruleId, workspaceId }, update: { $max: { lastDeliveryId: _id } } },
        })),
        { ordered: false },
      ),
  ]);
}

type Queued = Omit<DeliveryDoc, "createdAt">;

function toQueued(rule: RuleDoc, run: RunDoc, trigger: DeliveryDoc["trigger"], body: string): Queued {
  const { workspaceId, resourceType, resourceId } = run;
  const channelType = rule.channel.type;
  const key = [
    resourceType,
    resourceId.toHexString(),
    run._id.toHexString(),
    trigger,
    channelType,
    rule._id.toHexString(),
  ].join(":");
  return {
    _id: new ObjectId(),
    key,
    workspaceId,
    resourceType,
    resourceId,
    resourceName: run.resourceName,
    ruleId: rule._id,
    runId: run._id,
    trigger,
    channelType,
    target: targetOf(rule),
    webhookId: `msg_${createHash("sha256").update(key).digest("hex").slice(0, 32)}`,
    body,
    status: "queued",
    attempts: 0,
    roundAttempts: 0,
    attemptLog: [],
    httpStatus: null,
    lastError: null,
    sentAt: null,
    completedAt: null,
    sweeps: 0,
  };
}

/** One workspace's messages to one host. A rule whose secrets do not open has a line of its own, and fails in it. */
function targetOf(rule: RuleDoc): string {
  let host: string;
  try {
    host = hostOf(openChannel(rule, rule.channel));
  } catch (error) {
    log.warn({ err: error, ruleId: rule._id.toHexString() }, "the channel of a rule cannot be opened");
    host = rule._id.toHexString();
  }
  return createHash("sha256").update(`${rule.workspaceId.toHexString()}:${host}`).digest("hex").slice(0, 24);
}
