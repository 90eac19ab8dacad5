import { z } from "zod";
import { isoDate } from "@/lib/http/schema";

/** What can change under a reader's eyes (docs/api.md, Live updates). */
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

/** The data of every event; each kind adds its own. */
export const eventData = z.looseObject({
  resourceType: z.string(),
  resourceId: z.string(),
  at: isoDate,
});
export type EventData = z.infer<typeof eventData>;
