import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "./collections";
import type { DeliveryDoc, Sender } from "./model";

type Sent = Pick<DeliveryDoc, "ruleId" | "resourceType">;

/** By what deliveries go out, as it is now, by its id; one query a kind. */
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

/** The same for one; null when it is deleted. */
export async function senderOf(workspaceId: ObjectId, delivery: Sent): Promise<Sender | null> {
  return (await sendersOf(workspaceId, [delivery])).get(delivery.ruleId.toHexString()) ?? null;
}
