import "server-only";
import { type ClientSession, ObjectId } from "mongodb";
import { collections } from "./collections";
import type { FlowRefusalDoc, FlowWebhookDoc } from "./model";

/** Counts the events that a webhook received, by hour. */
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

/** Number of rejected events to keep. Anyone who knows the address can fill these; the oldest are overwritten. */
export const REFUSALS_KEPT = 200;
/** Time for which event ids are kept to detect repeats. */
export const KNOWN_MS = 7 * 24 * HOUR_MS;

export type Refusal = Pick<FlowRefusalDoc, "status" | "bytes"> &
  Partial<Pick<FlowRefusalDoc, "eventId" | "type" | "reason" | "from" | "agent" | "snippet">>;

/**
 * Stores a rejected event in the slot of the oldest of its kind.
 * @param count number of rejections so far, including this one
 */
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

/** Closes the address of a flow, and deletes its waiting events. */
export async function dropWebhook(workspaceId: ObjectId, flowId: ObjectId): Promise<void> {
  await collections.flowWebhooks().deleteOne({ _id: flowId, workspaceId });
  await collections.flowEvents().deleteMany({ workspaceId, flowId });
  await collections.flowRefusals().deleteMany({ workspaceId, flowId });
  await collections.flowHours().deleteMany({ workspaceId, flowId });
}

/** Returns the beginning of a text of the sender, in a form that can be stored. */
export function cutText(text: string, chars: number): string {
  return text.slice(0, chars).toWellFormed().replaceAll("\0", "\uFFFD");
}
