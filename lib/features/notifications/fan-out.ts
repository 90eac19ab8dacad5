import "server-only";
import { ObjectId } from "mongodb";
import type { RunEnded } from "@/lib/features/runs/ends";
import type { RunDoc } from "@/lib/features/runs/model";
import { findRunById } from "@/lib/features/runs/service";
import { findWorkspaceSlug } from "@/lib/features/workspaces/service";
import { collections } from "./collections";
import type { DeliveryDoc, RuleDoc, RuledResource } from "./model";
import { toPayload } from "./payload";
import { newDelivery, type Queued, queueDeliveries } from "./queue";

/**
 * Queues one delivery for each rule that the end of a run triggers, and wakes the sender. The same event again, even a
 * hundred times concurrently, adds none (docs/develop/notifications.md).
 */
export async function fanOut(ended: RunEnded): Promise<void> {
  if (!ended.trigger) return;
  const workspaceId = new ObjectId(ended.workspaceId);
  const run = await findRunById(workspaceId, new ObjectId(ended.runId));
  // The stored run is authoritative: an event that contradicts it is ignored.
  if (!run || run.status !== ended.trigger || !run.completedAt) return;
  const { resourceType } = run;
  if (resourceType === "dashboard") return;
  const slug = await findWorkspaceSlug(workspaceId);
  if (slug === null) return;
  const rules = await collections
    .notificationRules()
    .find({
      workspaceId,
      resourceType,
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
        resourceType,
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
  const queued = rules.map((rule) =>
    toQueued(rule, { ...run, resourceType }, ended.trigger as "success" | "failure", body),
  );
  await queueDeliveries(workspaceId, queued, "rules");
}

function toQueued(rule: RuleDoc, run: RunDoc & RuledResource, trigger: DeliveryDoc["trigger"], body: string): Queued {
  const { workspaceId, resourceType, resourceId, resourceName } = run;
  return newDelivery(rule, { workspaceId, resourceType, resourceId, resourceName, runId: run._id, trigger, body });
}
