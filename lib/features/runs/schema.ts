import { z } from "zod";
import { isoDate, listQuery, objectIdText } from "@/lib/platform/http/schema";

export const RESOURCE_TYPES = ["scheduled_query", "flow", "dashboard"] as const;
/** A resource with runs: a console with a schedule, a flow, or a dashboard, whose runs are its refreshes. */
export const resourceType = z.enum(RESOURCE_TYPES);
export type ResourceType = z.infer<typeof resourceType>;

/** Trigger of a run. */
export const triggerType = z.enum(["scheduled", "manual", "api", "backfill", "webhook"]);
export type TriggerType = z.infer<typeof triggerType>;

export const runStatus = z.enum(["queued", "running", "success", "failure", "cancelled"]);
export type RunStatus = z.infer<typeof runStatus>;
export type RunOutcome = Exclude<RunStatus, "queued" | "running">;

const count = z.int().nonnegative();
/** Row counts of a flow's run; null for runs that move none. */
export const runCounts = z.object({ read: count, written: count, skipped: count, failed: count });
export type RunCounts = z.infer<typeof runCounts>;
/** Counts of a flow's run that has not moved a row yet. */
export const NO_COUNTS: RunCounts = { read: 0, written: 0, skipped: 0, failed: 0 };

/** Progress of a run in one of its entities. `total` is the source's estimate, null when it has none. */
export const entityProgress = z.object({
  name: z.string(),
  status: z.enum(["waiting", "running", "done", "failed", "cancelled"]),
  counts: runCounts,
  total: count.nullable(),
});
export type EntityProgress = z.infer<typeof entityProgress>;

export const runSchema = z.object({
  id: objectIdText,
  resourceType,
  resourceId: objectIdText,
  resourceName: z.string().describe("Resource name when the run started"),
  status: runStatus,
  triggerType,
  triggeredBy: objectIdText.nullable().describe("User who started it; null for scheduled and webhook runs"),
  createdAt: isoDate,
  startedAt: isoDate.nullable(),
  completedAt: isoDate.nullable(),
  durationMs: z.int().nonnegative().nullable(),
  rowCount: count.nullable(),
  error: z.string().nullable(),
  counts: runCounts.nullable(),
  entities: z.array(entityProgress),
  cancelRequestedAt: isoDate.nullable().describe("Cancellation requested, run not yet ended"),
});
export type Run = z.infer<typeof runSchema>;

/** Filters for the runs of a workspace. */
export const runsQuery = listQuery.extend({ resourceType: resourceType.optional(), status: runStatus.optional() });
export type RunFilters = { resourceType?: ResourceType | undefined; status?: RunStatus | undefined };

export const runHoursQuery = z.object({ resourceType: resourceType.optional() });
export const runHoursSchema = z.object({
  hours: z
    .array(z.object({ hour: isoDate, count, failed: count }))
    .describe("24 hourly counts by queue time, ending with the current hour"),
  types: z
    .array(z.object({ resourceType, count, failed: count }))
    .describe("The same counts by resource type, without empty types"),
  isWhole: z.boolean().describe("False if the counts were truncated to the newest runs"),
});
export type RunHours = z.infer<typeof runHoursSchema>;

export const logLevel = z.enum(["info", "warn", "error"]);
export type LogLevel = z.infer<typeof logLevel>;
export const logLineSchema = z.object({ at: isoDate, level: logLevel, text: z.string() });
export type LogLine = z.infer<typeof logLineSchema>;
