import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "./collections";

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

/** Closes the address of a flow, and removes what has come and waits. */
export async function dropWebhook(workspaceId: ObjectId, flowId: ObjectId): Promise<void> {
  await collections.flowWebhooks().deleteOne({ _id: flowId, workspaceId });
  await collections.flowEvents().deleteMany({ workspaceId, flowId });
  await collections.flowHours().deleteMany({ workspaceId, flowId });
}
