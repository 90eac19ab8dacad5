import { z } from "zod";
import { isoDate } from "@/lib/platform/http/schema";
import { HEARTBEAT_SECONDS } from "./limits";

/** Kinds of changes that readers see live (docs/develop/api.md, Live updates). */
export const EVENT_KINDS = [
  "run",
  "log",
  "delivery",
  "console",
  "dashboard",
  "metric",
  "app",
  "plan",
  "execution",
  "presence",
  "push",
  "review",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const eventsQuery = z.object({
  heartbeat: z
    .enum(["true", "false"])
    .optional()
    .describe(
      `true: every ${HEARTBEAT_SECONDS} s comes \`event: heartbeat\`, which has no id, in the place of a comment`,
    ),
});

/** Data of every event; each kind extends it. */
export const eventData = z.looseObject({
  resourceType: z.string(),
  resourceId: z.string(),
  at: isoDate,
});
export type EventData = z.infer<typeof eventData>;
