import { z } from "zod";
import { METRIC_GRAINS } from "@/lib/base/sql/dialects/metric-sql";
import { ZONE_CHARS_MAX } from "@/lib/base/values/names";
import { commitMessage, version } from "@/lib/features/folders/schema";
import { executeAnswer, executeOnBody } from "@/lib/features/query/schema";
import { isoDate, objectIdText } from "@/lib/platform/http/schema";
import { FILTER_OPS } from "./filter-ops";

/** `query` is the path of questions. */
export const METRIC_NAME = /^(?!query$)[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
export const NAME_RULE = "Names have up to 100 letters, digits, dashes and underscores, and are not “query”.";
/** Maximum length, in UTF-16 units; the file's limit in bytes applies as well. */
const CONTENT_CHARS_MAX = 64 * 1024;

export const metricName = z.string().regex(METRIC_NAME, NAME_RULE).describe("Name of the file, without .yml");

export const metricSummarySchema = z.object({
  id: objectIdText,
  name: z.string(),
  title: z.string(),
  description: z.string(),
  metrics: z.array(z.string()).describe("Names of the metrics in the file"),
  datasets: z.array(z.string()),
  dimensions: z.array(z.string()).describe("dataset.field of each field"),
  owner: z.object({ id: objectIdText, name: z.string() }),
  usedBy: z.array(z.object({ kind: z.string(), id: z.string(), name: z.string() })),
  version: z.int(),
  error: z.string().nullable().describe("Why the file can't be queried; null if it can"),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type MetricSummary = z.infer<typeof metricSummarySchema>;

export const metricSchema = metricSummarySchema.extend({ content: z.string().describe("Text of the file, unchanged") });
export type MetricItem = z.infer<typeof metricSchema>;

const content = z.string().max(CONTENT_CHARS_MAX, "The file is too large. Split the model.");

export const putMetricBody = z.object({
  content: content.describe("Model in Ossie's core format, as YAML"),
  version: version.default(0).describe("Version that you changed; 0 or absent for a new file. Returns 409 if stale"),
  message: commitMessage,
});
export type PutMetricBody = z.infer<typeof putMetricBody>;

/** Metrics and dimensions of one question: each is a column. */
const COLUMNS_MAX = 50;
const FILTERS_MAX = 50;
const VALUES_MAX = 1_000;
const TEXT_CHARS_MAX = 10_000;
const NAME_CHARS_MAX = 300;

const columnName = z.string().min(1, "Name is required.").max(NAME_CHARS_MAX, "Too long.");
const filterValue = z.union([
  z
    .string()
    .max(TEXT_CHARS_MAX, "The value is too long.")
    .refine((text) => !text.includes("\0"), "Invalid character."),
  z.number(),
  z.boolean(),
  z.null(),
]);
const moment = z.union(
  [z.iso.date(), z.iso.datetime({ local: true, offset: true })],
  "Use 2026-05-31, or 2026-05-31T14:30:00 with or without an offset.",
);

export const metricQueryBody = z.object({
  metrics: z.array(columnName).min(1, "Name at least one metric.").max(COLUMNS_MAX).describe("name, or file.name"),
  content: content.optional().describe("Text of an unsaved file, whose metrics are queried instead of the saved ones"),
  dimensions: z
    .array(z.object({ name: columnName, grain: z.enum(METRIC_GRAINS).optional() }))
    .max(COLUMNS_MAX)
    .optional()
    .describe("Fields as dataset.field, or `time` for the metric's own time field"),
  filters: z
    .array(
      z.object({
        field: columnName,
        op: z.enum(FILTER_OPS),
        value: z.union([filterValue, z.array(filterValue).max(VALUES_MAX)]).optional(),
      }),
    )
    .max(FILTERS_MAX)
    .optional()
    .describe("All must hold. ne and nin keep rows without a value"),
  from: moment.optional().describe("Start of the period, included"),
  to: moment.optional().describe("End of the period: a day is included, a time is not"),
  timezone: z
    .string()
    .max(ZONE_CHARS_MAX)
    .optional()
    .describe("Zone of days and of times without an offset. Default: UTC"),
  compare: z
    .enum(["previous", "year"])
    .optional()
    .describe("Adds <metric>_previous: the period before of the same length, or the year before"),
  orderBy: z
    .array(z.object({ by: columnName, order: z.enum(["asc", "desc"]).default("asc") }))
    .max(COLUMNS_MAX)
    .optional()
    .describe("Columns of the result, empty values last. Default: the dimensions"),
  limit: executeOnBody.shape.limit.refine((limit) => limit === undefined || limit > 0, "limit must be at least 1."),
  timeoutMs: executeOnBody.shape.timeoutMs,
  executionId: executeOnBody.shape.executionId,
  dryRun: z.boolean().optional().describe("true: returns the statement without running it"),
});
export type MetricQueryBody = z.infer<typeof metricQueryBody>;

/** A question that is stored, as the source of a widget: without an unsaved text and a run. */
export const metricSource = metricQueryBody.pick({
  metrics: true,
  dimensions: true,
  filters: true,
  from: true,
  to: true,
  timezone: true,
  compare: true,
  orderBy: true,
  limit: true,
});

/** Fields of an answer to a query; a dry run has only the statement. */
export const metricAnswer = executeAnswer
  .partial()
  .extend({ sql: z.string(), dialect: z.string().describe("SQL dialect of the connection") });
