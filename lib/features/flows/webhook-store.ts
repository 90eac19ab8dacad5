import "server-only";
import { type ClientSession, ObjectId } from "mongodb";
import { collections } from "./collections";
import type { FlowRefusalDoc, FlowWebhookDoc } from "./model";

/** What a webhook has received, by hours. */
export function countHour(
  { workspaceId, _id }: { workspaceId: ObjectId; _id: ObjectId },
  now: Date,
  options: Parameters<ReturnType<typeof collections.flowHours>["updateOne"]>[2] = {},
) {
  const hour = hourOf(now);
  return collections
    .flowHours()
    .updateOne({ workspaceId, flowId: _id, hour }, { $inc: { count: 1 } }, { upsert: true, ...options });
}

export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
}

export const HOUR_MS = 3_600_000;

/** Anybody who knows the address may fill these; the oldest make way. */
export const REFUSALS_KEPT = 200;
/** As long as events are known. */
export const KNOWN_MS = 7 * 24 * HOUR_MS;

export type Refusal = Pick<FlowRefusalDoc, "status" | "bytes"> &
  Partial<Pick<FlowRefusalDoc, "eventId" | "type" | "reason" | "from" | "agent" | "snippet">>;

/** Keeps what was not taken, in the place of the oldest of its kind. @param count how many there were so far, this one included */
export async function keepRefusal(
  { workspaceId, _id: flowId }: Pick<FlowWebhookDoc, "workspaceId" | "_id">,
  refusal: Refusal,
  count: number,
  now: Date,
  session: ClientSession,
): Promise<void> {
  const place = { workspaceId, flowId, slot: count % REFUSALS_KEPT };
  await collections.flowRefusals().deleteMany(place, { session });
  const doc = { ...place, ...refusal, receivedAt: now, forgetAt: new Date(now.getTime() + KNOWN_MS) };
  await collections.flowRefusals().insertOne({ _id: new ObjectId(), ...doc }, { session });
}

/** Closes the address of a flow, and removes what has come and waits. */
export async function dropWebhook(workspaceId: ObjectId, flowId: ObjectId): Promise<void> {
  await collections.flowWebhooks().deleteOne({ _id: flowId, workspaceId });
  await collections.flowEvents().deleteMany({ workspaceId, flowId });
  await collections.flowRefusals().deleteMany({ workspaceId, flowId });
  await collections.flowHours().deleteMany({ workspaceId, flowId });
}
