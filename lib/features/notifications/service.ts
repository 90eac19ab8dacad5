import "server-only";
import { ObjectId } from "mongodb";
import type { RunResource } from "@/lib/features/runs/model";
import { visiblePage } from "@/lib/features/runs/visible-page";
import type { Caller } from "@/lib/platform/access/caller";
import { findPage } from "@/lib/platform/db/find-page";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import type { ChannelType } from "./channels/registry";
import { judgeAddresses, nextChannel } from "./channels/stored";
import { collections } from "./collections";
import { publishRulesEvent } from "./events";
import { RULES_PER_RESOURCE_MAX } from "./limits";
import { type RuleDoc, type RuledResource, toDelivery, toRule } from "./model";
import type { RuledType } from "./payload-schema";
import { getResourceOrThrow, onlyVisible } from "./resources";
import type { CreateRuleBody, ListedRule, Rule, SavedRule, UpdateRuleBody } from "./schema";

/** Maximum number of attempts when a rule changes concurrently; users do not reach it. */
const UPDATE_TRIES = 10;

type OfResource = { resourceType: RuledType; resourceId: string };

/**
 * Returns the rules of a console or flow, oldest first.
 * @throws AppError `not_found` for a resource that the caller cannot see, `invalid_request` for an invalid cursor
 */
export async function listRules(caller: Caller, of: OfResource, page: PageRequest): Promise<Page<Rule>> {
  const resource = await resourceOf(caller, of);
  return findPage(collections.notificationRules(), resource, page, { order: "oldest" }, toRule);
}

/**
 * Returns the rules of the workspace that the caller may see, newest first, each with its last delivery.
 * @throws AppError `invalid_request` for an invalid cursor
 */
export async function listWorkspaceRules(
  caller: Caller,
  { channelType, ...page }: PageRequest & { channelType?: ChannelType | undefined },
): Promise<Page<ListedRule>> {
  const { workspaceId } = caller;
  const filter = { workspaceId, ...(channelType && { "channel.type": channelType }) };
  const found = await visiblePage(caller, collections.notificationRules(), filter, page, onlyVisible);
  const lastIds = found.items.flatMap(({ lastDeliveryId }) => lastDeliveryId ?? []);
  const last = await collections
    .deliveries()
    .find({ _id: { $in: lastIds }, workspaceId })
    .toArray();
  const byId = new Map(last.map((doc) => [doc._id.toHexString(), toDelivery(doc)]));
  const items = found.items.map((doc) => ({
    ...toRule(doc),
    lastDelivery: byId.get(doc.lastDeliveryId?.toHexString() ?? "") ?? null,
  }));
  return { ...found, items };
}

/**
 * Creates a rule.
 * @returns the rule with the signing secret of a webhook, which is not shown again
 * @throws AppError `invalid_request`, `address_refused`, `not_found` for the resource, `conflict` when it has too many
 */
export async function createRule(caller: Caller, body: CreateRuleBody, now = new Date()): Promise<SavedRule> {
  const { resourceType, resourceId, enabled, triggers, ...request } = body;
  await judgeAddresses(request);
  const resource = await resourceOf(caller, { resourceType, resourceId });
  const place = { _id: new ObjectId(), workspaceId: caller.workspaceId };
  const { channel, newSecret } = nextChannel(place, null, request);
  const doc: RuleDoc = {
    ...resource,
    ...place,
    enabled,
    triggers,
    channel,
    createdBy: caller.user._id,
    createdAt: now,
    updatedAt: now,
    revision: 1,
  };
  await collections.notificationRules().insertOne(doc);
  // Checked after the insert: a resource that was deleted concurrently has either deleted the rule too, or no longer
  // exists now.
  try {
    await resourceOf(caller, { resourceType, resourceId });
    await refuseTooMany(resource);
  } catch (error) {
    await collections.notificationRules().deleteOne(place);
    throw error;
  }
  await publishRulesEvent(doc);
  return withSecret(doc, newSecret);
}

/** Two concurrent requests may both be rejected at the limit, but never both exceed it. */
async function refuseTooMany(resource: RuledResource): Promise<void> {
  const count = await collections.notificationRules().countDocuments(resource, { limit: RULES_PER_RESOURCE_MAX + 1 });
  if (count <= RULES_PER_RESOURCE_MAX) return;
  throw new AppError("conflict", `Limit of ${RULES_PER_RESOURCE_MAX} rules reached. Delete one first.`);
}

/**
 * Updates the fields of a rule that are sent.
 * @throws AppError `not_found`, `invalid_request`, `address_refused`
 */
export async function updateRule(
  caller: Caller,
  ruleId: ObjectId,
  body: UpdateRuleBody,
  now = new Date(),
): Promise<SavedRule> {
  const { enabled, triggers, ...request } = body;
  await judgeAddresses(request);
  for (let tries = 0; tries < UPDATE_TRIES; tries += 1) {
    const before = await getRuleDocOrThrow(caller, ruleId);
    const { channel, newSecret } = nextChannel(before, before.channel, request);
    const after = await collections.notificationRules().findOneAndUpdate(
      { _id: ruleId, workspaceId: caller.workspaceId, revision: before.revision },
      {
        $set: {
          channel,
          ...(enabled !== undefined && { enabled }),
          ...(triggers && { triggers }),
          updatedAt: now,
        },
        $inc: { revision: 1 },
      },
      { returnDocument: "after" },
    );
    if (!after) continue;
    await publishRulesEvent(after);
    return withSecret(after, newSecret);
  }
  throw new AppError("conflict", "Someone else is changing this rule. Reload it and try again.");
}

/**
 * Deletes a rule. Its queued deliveries are not sent; the records remain.
 * @throws AppError `not_found`
 */
export async function deleteRule(caller: Caller, ruleId: ObjectId): Promise<void> {
  const rule = await getRuleDocOrThrow(caller, ruleId);
  await collections.notificationRules().deleteOne({ _id: ruleId, workspaceId: caller.workspaceId });
  await publishRulesEvent(rule);
}

/** Deletes the rules of a deleted resource (docs/develop/api.md, Notifications). */
export async function deleteRulesOf({ workspaceId, resourceType, resourceId }: RunResource): Promise<void> {
  if (resourceType === "dashboard") return;
  await collections.notificationRules().deleteMany({ workspaceId, resourceType, resourceId });
}

/** @throws AppError `not_found`, the same for an unknown rule, another workspace's and one of a hidden resource */
export async function getRuleDocOrThrow(caller: Caller, ruleId: ObjectId): Promise<RuleDoc> {
  const doc = await collections.notificationRules().findOne({ _id: ruleId, workspaceId: caller.workspaceId });
  const [visible] = doc ? await onlyVisible(caller, [doc]) : [];
  if (!visible) throw new AppError("not_found", "Notification rule not found.");
  return visible;
}

/** @throws AppError `not_found` when the caller cannot see it */
export async function resourceOf(caller: Caller, { resourceType, resourceId }: OfResource): Promise<RuledResource> {
  const id = new ObjectId(resourceId);
  await getResourceOrThrow(caller, resourceType, id);
  return { workspaceId: caller.workspaceId, resourceType, resourceId: id };
}

function withSecret(doc: RuleDoc, newSecret: string | undefined): SavedRule {
  return { ...toRule(doc), ...(newSecret !== undefined && { signingSecretOnce: newSecret }) };
}
