import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "./collections";
import type { DeliveryDoc, Sender } from "./model";

type Sent = Pick<DeliveryDoc, "ruleId" | "resourceType">;

/** Returns the current rules and snapshots that deliveries belong to, by id; one query for each kind. */
export async function sendersOf(workspaceId: ObjectId, deliveries: readonly Sent[]): Promise<Map<string, Sender>> {
  const idsOf = (isSnapshot: boolean) =>
    deliveries.filter(({ resourceType }) => (resourceType === "dashboard") === isSnapshot).map(({ ruleId }) => ruleId);
  const [rules, snapshots] = [idsOf(false), idsOf(true)];
  const found: Sender[] = [];
  if (rules.length > 0) {
    const byId = { _id: { $in: rules }, workspaceId };
    found.push(...(await collections.notificationRules().find(byId).toArray()));
  }
  if (snapshots.length > 0) {
    const byId = { _id: { $in: snapshots }, workspaceId };
    found.push(...(await collections.snapshots().find(byId).toArray()));
  }
  return new Map(found.map((sender) => [sender._id.toHexString(), sender]));
}

/** Returns the same for one delivery; null when the sender is deleted. */
export async function senderOf(workspaceId: ObjectId, delivery: Sent): Promise<Sender | null> {
  return (await sendersOf(workspaceId, [delivery])).get(delivery.ruleId.toHexString()) ?? null;
}
