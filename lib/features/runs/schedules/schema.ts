import { z } from "zod";
import { ZONE_CHARS_MAX } from "@/lib/base/values/names";
import { isoDate, objectIdText } from "@/lib/platform/http/schema";

export const scheduleBody = z.object({
  cron: z.string().max(200).describe("Five fields: minute, hour, day of month, month, day of week"),
  timezone: z.string().max(ZONE_CHARS_MAX).describe("IANA time zone name, such as Europe/Vienna or UTC"),
  enabled: z.boolean().default(true),
});
export type ScheduleBody = z.infer<typeof scheduleBody>;

export const scheduleSchema = z.object({
  cron: z.string(),
  timezone: z.string(),
  enabled: z.boolean(),
  nextRuns: z.array(isoDate).describe("Next five runs; empty while disabled"),
  ownerId: objectIdText.describe("User who last set it; it runs with their permissions"),
  updatedAt: isoDate,
});
export type Schedule = z.infer<typeof scheduleSchema>;
