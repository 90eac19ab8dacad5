import { z } from "zod";
import { isoDate } from "@/lib/platform/http/schema";
import { HEARTBEAT_SECONDS } from "./limits";

/** What can change under a reader's eyes (docs/develop/api.md, Live updates). */
export const EVENT_KINDS = [
  "run",
  "log",
  "delivery",
  "console",
  "dashboard",
  "app",
  "plan",
  "execution",
  "presence",
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

/** The data of every event; each kind adds its own. */
export const eventData = z.looseObject({
  resourceType: z.string(),
  resourceId: z.string(),
  at: isoDate,
});
export type EventData = z.infer<typeof eventData>;
