import { z } from "zod";
import { ZONE_CHARS_MAX } from "@/lib/base/values/names";
import { isoDate, objectIdText } from "@/lib/platform/http/schema";

export const scheduleBody = z.object({
  cron: z.string().max(200).describe("Five fields: minute, hour, day of the month, month, day of the week"),
  timezone: z.string().max(ZONE_CHARS_MAX).describe("A name of the IANA database, as Europe/Vienna or UTC"),
  enabled: z.boolean().default(true),
});
export type ScheduleBody = z.infer<typeof scheduleBody>;

export const scheduleSchema = z.object({
  cron: z.string(),
  timezone: z.string(),
  enabled: z.boolean(),
  nextRuns: z.array(isoDate).describe("The next five; none while it is off"),
  ownerId: objectIdText.describe("Who set it last: it runs as them"),
  updatedAt: isoDate,
});
export type Schedule = z.infer<typeof scheduleSchema>;
