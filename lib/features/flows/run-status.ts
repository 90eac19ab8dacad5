import "server-only";
import type { ObjectId } from "mongodb";
import { schedulesOf } from "@/lib/features/runs/schedules/service";
import { lastRuns } from "@/lib/features/runs/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { type FlowDoc, RESOURCE_TYPE, toFlow } from "./model";
import type { Flow } from "./schema";

/**
 * Returns the stored flow.
 * @throws AppError `not_found`, the same for an unknown id and for another workspace's
 */
export async function getFlowDocOrThrow({ workspaceId }: Caller, flowId: ObjectId): Promise<FlowDoc> {
  const doc = await collections.flows().findOne({ _id: flowId, workspaceId });
  if (!doc) throw noSuchFlow();
  return doc;
}

/** Returns the flow as the API shows it. */
export async function withOwnRunStatus(caller: Pick<Caller, "workspaceId">, doc: FlowDoc): Promise<Flow> {
  const [flow] = await withRunStatus(caller, [doc]);
  if (!flow) throw new Error("A flow has no status.");
  return flow;
}

/** Does the same for many, in two look-ups. */
export async function withRunStatus({ workspaceId }: Pick<Caller, "workspaceId">, docs: FlowDoc[]): Promise<Flow[]> {
  const ids = docs.map(({ _id }) => _id);
  const [schedules, runs] = await Promise.all([
    schedulesOf(workspaceId, RESOURCE_TYPE, ids),
    lastRuns(workspaceId, RESOURCE_TYPE, ids),
  ]);
  const now = new Date();
  return docs.map((doc) => {
    const id = doc._id.toHexString();
    return toFlow(doc, runs.get(id) ?? null, schedules.get(id) ?? null, now);
  });
}

export function resourceOf({ _id, workspaceId }: Pick<FlowDoc, "_id" | "workspaceId">) {
  return { workspaceId, resourceType: RESOURCE_TYPE, resourceId: _id } as const;
}

/** Returns the same error for an unknown id and for another workspace's. */
export function noSuchFlow(): AppError {
  return new AppError("not_found", "Flow not found.");
}
