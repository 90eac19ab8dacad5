import { z } from "zod";

/* The core format of Apache Ossie (formerly Open Semantic Interchange), versions 0.1 and 0.2. */

const NAME_CHARS_MAX = 128;
/** Far more than a model of a data warehouse needs; each is checked on every save. */
const DATASETS_MAX = 200;
const FIELDS_MAX = 2_000;
const METRICS_MAX = 1_000;
const MODELS_MAX = 20;
const COLUMNS_MAX = 32;

const name = z
  .string()
  .min(1, "Name is required.")
  .max(NAME_CHARS_MAX, `Names are limited to ${NAME_CHARS_MAX} characters.`)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}.]+$/u, "Names must not contain dots or control characters.");
const column = z
  .string()
  .min(1, "Name is required.")
  .max(NAME_CHARS_MAX)
  .regex(/^[^\0]+$/, "The character of code 0 is not allowed.");
const columns = z.array(column).min(1, "Name at least one column.").max(COLUMNS_MAX);

const annotations = {
  ai_context: z.union([z.string(), z.looseObject({})]).optional(),
  custom_extensions: z.array(z.strictObject({ vendor_name: z.string(), data: z.string() })).optional(),
};
const description = z.string().optional();

export const FILE_DIALECTS = ["ANSI_SQL", "SNOWFLAKE", "MDX", "TABLEAU", "DATABRICKS", "MAQL", "BIGQUERY"] as const;
const expression = z.strictObject({
  dialects: z
    .array(z.strictObject({ dialect: z.enum(FILE_DIALECTS), expression: z.string() }))
    .min(1, "Write at least one expression."),
});

export const DATA_TYPES = [
  "String",
  "Integer",
  "Decimal",
  "Float",
  "Boolean",
  "Date",
  "Time",
  "DateTime",
  "DateTimeTz",
  "Opaque",
] as const;
export type DataType = (typeof DATA_TYPES)[number];
const datatype = z.enum(DATA_TYPES).optional();

const field = z.strictObject({
  name,
  expression,
  dimension: z.strictObject({ is_time: z.boolean().optional() }).optional(),
  label: z.string().optional(),
  description,
  datatype,
  ...annotations,
});
const dataset = z.strictObject({
  name,
  source: z.string(),
  primary_key: columns.optional(),
  unique_keys: z.array(columns).optional(),
  description,
  fields: z.array(field).max(FIELDS_MAX).optional(),
  ...annotations,
});
const relationship = z.strictObject({
  name,
  from: z.string(),
  to: z.string(),
  from_columns: columns,
  to_columns: columns,
  ...annotations,
});
const metric = z.strictObject({ name, expression, description, datatype, ...annotations });

export const metricFile = z.strictObject({
  version: z.string().regex(/^0\.[12]\.\d+(?:\.?dev\d+)?$/, "Use version 0.1.1 or 0.2.0.dev0."),
  semantic_model: z
    .array(
      z.strictObject({
        name,
        description,
        datasets: z.array(dataset).min(1, "Define at least one dataset.").max(DATASETS_MAX),
        relationships: z.array(relationship).max(DATASETS_MAX).optional(),
        metrics: z.array(metric).max(METRICS_MAX).optional(),
        ...annotations,
      }),
    )
    .min(1, "Define at least one model.")
    .max(MODELS_MAX),
});
export type MetricFile = z.infer<typeof metricFile>;
export type FileDataset = z.infer<typeof dataset>;
export type FileExpression = z.infer<typeof expression>;
export type FileMetric = z.infer<typeof metric>;

/** Settings of a metric in Millrace: the JSON of a custom extension with the vendor name MILLRACE. */
export const metricSettings = z.strictObject({
  time: z.string().optional(),
  semiAdditive: z.strictObject({ over: z.string(), take: z.enum(["first", "last"]) }).optional(),
});
export type MetricSettings = z.infer<typeof metricSettings>;
export const VENDOR = "MILLRACE";
