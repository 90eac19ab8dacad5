import "server-only";
import type { Caller } from "@/lib/platform/access/caller";
import { collections } from "./collections";
import type { Instructions } from "./schema";

/** Returns the instructions for every turn in the workspace. */
export async function getInstructions({ workspaceId }: Pick<Caller, "workspaceId">): Promise<Instructions> {
  const doc = await collections.agentInstructions().findOne({ _id: workspaceId, workspaceId });
  if (!doc) return { text: "", updatedBy: null, updatedAt: null };
  return { text: doc.text, updatedBy: doc.updatedBy.toHexString(), updatedAt: doc.updatedAt.toISOString() };
}

export async function putInstructions(
  { workspaceId, user }: Caller,
  text: string,
  now = new Date(),
): Promise<Instructions> {
  await collections
    .agentInstructions()
    .updateOne(
      { _id: workspaceId },
      { $set: { workspaceId, text, updatedBy: user._id, updatedAt: now } },
      { upsert: true },
    );
  return { text, updatedBy: user._id.toHexString(), updatedAt: now.toISOString() };
}
