import { z } from "zod";
import { RESOURCE_TYPES, triggerType } from "@/lib/features/runs/schema";
import { isoDate, objectIdText } from "@/lib/platform/http/schema";

/** Resources that may have rules: consoles and flows. A failed refresh of a dashboard shows on the dashboard. */
export const resourceType = z.enum(RESOURCE_TYPES).exclude(["dashboard"]);
export type RuledType = z.infer<typeof resourceType>;

export const trigger = z.enum(["success", "failure"]);
export type Trigger = z.infer<typeof trigger>;

/** Payload that receivers get on every channel (docs/develop/notifications.md). Version 1. */
export const payloadSchema = z.object({
  version: z.literal(1),
  event: z.literal("flow.run.terminal"),
  trigger,
  resourceType,
  resourceId: objectIdText,
  resourceName: z.string(),
  runId: objectIdText,
  completedAt: isoDate,
  durationMs: z.int().nonnegative(),
  rowCount: z.int().nonnegative().optional(),
  errorMessage: z.string().nullable(),
  triggerType,
  workspaceId: objectIdText,
  deepLink: z.url(),
});
export type Payload = z.infer<typeof payloadSchema>;

/** Payload of a snapshot for webhooks; other channels get the same as text. Version 1. */
export const snapshotPayloadSchema = z.object({
  version: z.literal(1),
  event: z.literal("dashboard.snapshot"),
  snapshotId: objectIdText,
  dashboardId: objectIdText,
  dashboardTitle: z.string(),
  takenAt: isoDate,
  timezone: z.string(),
  widgets: z.array(z.object({ title: z.string(), lines: z.array(z.string()) })),
  pictureUrl: z.url().nullable().describe("PNG URL, valid for 30 days; null if the server is not publicly reachable"),
  pdfUrl: z.url().nullable().describe("PDF URL; null if no PDF is sent"),
  workspaceId: objectIdText,
  deepLink: z.url(),
});
export type SnapshotPayload = z.infer<typeof snapshotPayloadSchema>;
