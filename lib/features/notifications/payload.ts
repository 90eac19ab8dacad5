import "server-only";
import { env } from "@/lib/platform/env";
import type { Payload } from "./payload-schema";
import { pageOfRun } from "./resources";

/** Facts of an ended run in a payload. */
export type EndedRun = Omit<Payload, "version" | "event" | "rowCount" | "deepLink"> & { rowCount: number | null };

/**
 * Returns the payload of a notification, the same on every channel (docs/develop/notifications.md).
 * @param slug slug of the workspace, for the link
 */
export function toPayload(run: EndedRun, slug: string): Payload {
  const { trigger, resourceType, resourceId, resourceName, runId, completedAt, durationMs, rowCount } = run;
  return {
    version: 1,
    event: "flow.run.terminal",
    trigger,
    resourceType,
    resourceId,
    resourceName,
    runId,
    completedAt,
    durationMs,
    ...(rowCount !== null && { rowCount }),
    errorMessage: trigger === "failure" ? run.errorMessage : null,
    triggerType: run.triggerType,
    workspaceId: run.workspaceId,
    deepLink: `${env().publicUrl}/w/${slug}/${pageOfRun(resourceType, resourceId, runId)}`,
  };
}
