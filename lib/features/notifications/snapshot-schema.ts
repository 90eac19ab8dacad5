import { z } from "zod";
import { PICTURE_THEMES } from "@/lib/features/dashboards/picture/paint";
import { FILTER_KEY_CHARS_MAX } from "@/lib/features/dashboards/schema";
import { COMPARISONS, GRAINS } from "@/lib/features/results/crossfilter/words";
import { scheduleBody } from "@/lib/features/runs/schedules/schema";
import { boundedText, isoDate, objectIdText } from "@/lib/platform/http/schema";
import { channelBodies } from "./channels/requests";
import { channelChanges, channelSchema, channelType, deliverySchema } from "./schema";

/** Maximum length of filters: a list of 200 values of 1,000 characters, with their punctuation. */
const FILTERS_CHARS_MAX = 250_000;

const filters = z
  .record(boundedText(FILTER_KEY_CHARS_MAX), z.unknown())
  .refine((values) => JSON.stringify(values).length <= FILTERS_CHARS_MAX, {
    message: `Filters are limited to ${FILTERS_CHARS_MAX} characters of JSON.`,
  })
  .describe("Filter values by filter ID, as in `data`. Omitted filters use their default");
const grain = z.enum(GRAINS).nullable();
const compare = z.enum(COMPARISONS).nullable();
const theme = z.enum(PICTURE_THEMES).describe("Theme of the image");
const withPdf = z.boolean().describe("Also sends a PDF of the dashboard");
const { cron, timezone } = scheduleBody.shape;

const common = {
  cron,
  timezone: timezone.describe("IANA time zone of the schedule and of dates in the image"),
  enabled: z.boolean().default(true),
  filters: filters.default({}),
  grain: grain.default(null),
  compare: compare.default(null),
  theme: theme.default("light"),
  withPdf: withPdf.default(false),
};

export const createSnapshotBody = z.discriminatedUnion("channelType", channelBodies(common));
export type CreateSnapshotBody = z.infer<typeof createSnapshotBody>;

/** Fields that are not sent keep their values. Another channelType requires the fields of that channel. */
export const updateSnapshotBody = z.object({
  cron: cron.optional(),
  timezone: timezone.optional(),
  enabled: z.boolean().optional(),
  filters: filters.optional(),
  grain: grain.optional(),
  compare: compare.optional(),
  theme: theme.optional(),
  withPdf: withPdf.optional(),
  ...channelChanges,
});
export type UpdateSnapshotBody = z.infer<typeof updateSnapshotBody>;

export const snapshotSchema = z.object({
  id: objectIdText,
  dashboardId: objectIdText,
  enabled: z.boolean(),
  cron: z.string(),
  timezone: z.string(),
  nextRuns: z.array(isoDate).describe("Next five runs; empty while disabled"),
  filters,
  grain,
  compare,
  theme,
  withPdf,
  channelType,
  channel: channelSchema,
  lastDelivery: deliverySchema.nullable(),
  createdBy: objectIdText,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Snapshot = z.infer<typeof snapshotSchema>;

export const savedSnapshotSchema = snapshotSchema.extend({
  signingSecretOnce: z.string().optional().describe("Returned once, on creation and rotation"),
});
export type SavedSnapshot = z.infer<typeof savedSnapshotSchema>;
