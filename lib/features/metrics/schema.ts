import { z } from "zod";
import { commitMessage, version } from "@/lib/features/folders/schema";
import { isoDate, objectIdText } from "@/lib/platform/http/schema";

/** `query` is a path of its own. */
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

export const putMetricBody = z.object({
  content: z
    .string()
    .max(CONTENT_CHARS_MAX, "The file is too large. Split the model.")
    .describe("Model in Ossie's core format, as YAML"),
  version: version.default(0).describe("Version that you changed; 0 or absent for a new file. Returns 409 if stale"),
  message: commitMessage,
});
export type PutMetricBody = z.infer<typeof putMetricBody>;
