import { z } from "zod";
import { fieldSchema } from "@/lib/features/query/schema";
import { aggregateSpec, TIME_UNITS } from "@/lib/features/results/crossfilter/spec";
import { exactNumber, isoDate } from "@/lib/platform/http/schema";
import { frontMatterSchema } from "./front-matter";
import { BINDING_NAME_CHARS_MAX } from "./limits";

const BUILD_STATES = ["missing", "queued", "building", "ready", "error"] as const;

export const bindingName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, "Binding names can contain letters, digits, - and _.")
  .max(BINDING_NAME_CHARS_MAX, "Too long.")
  .describe("File name, without bindings/ and .sql");

const count = z.int().nonnegative();
export const buildSchema = z.object({
  state: z.enum(BUILD_STATES),
  builtAt: isoDate
    .nullable()
    .describe("Time of the last successful read. These rows are kept during a refresh and if it fails"),
  rowCount: count.nullable(),
  bytes: count.nullable(),
  truncated: z.boolean().describe("The result exceeds 1,000,000 rows or 256 MiB and was truncated"),
  sha: z.string().nullable().describe("Published commit; null for your own preview"),
  error: z.string().nullable().describe("Error of the file or of the last refresh"),
});
export type Build = z.infer<typeof buildSchema>;

export const bindingSchema = z.object({
  name: z.string(),
  path: z.string(),
  description: z.string().nullable(),
  connectionId: z.string().nullable(),
  schedule: z.object({ cron: z.string(), timezone: z.string() }).nullable(),
  params: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).nullable(),
  frontMatter: frontMatterSchema.nullable().describe("Parsed front matter; null if it is invalid"),
  line: z.int().nullable().describe("Line of the error"),
  fields: z
    .array(fieldSchema.pick({ name: true, type: true }))
    .nullable()
    .describe("Columns of `build`; null before the first read"),
  build: buildSchema.describe("Rows of this version: the published rows if unchanged, otherwise your last preview"),
  published: buildSchema.nullable().describe("Rows that users see; null before the first publish"),
});
export type BindingItem = z.infer<typeof bindingSchema>;

/** Limits of a filter: a larger one belongs on a separate page, or should compare another column. */
const WHERE_MAX = 20;
const CHOSEN_MAX = 1000;
const TEXT_CHARS_MAX = 1000;
const text = z.string().max(TEXT_CHARS_MAX);
/** Numbers that no double represents are text, as in rows. */
const scalar = z.union([text, z.number(), z.boolean(), z.null(), exactNumber]);
/** Bound of a range, compared as a double. */
const end = z.union([z.number(), exactNumber.transform(Number)]).nullish();
const range = z
  .union([
    z.strictObject({ from: z.iso.date().nullish(), to: z.iso.date().nullish() }),
    z.strictObject({ from: end, to: end }),
  ])
  .refine(({ from, to }) => from == null || to == null || from <= to, "The end of the range is before its start.");

const spec = aggregateSpec.shape;
/** Query of `useBinding(name, query)`. */
export const dataQuery = z.strictObject({
  groupBy: spec.dimensions,
  measures: spec.measures,
  where: z
    .record(z.string(), z.union([scalar, z.array(scalar).max(CHOSEN_MAX), range, z.strictObject({ contains: text })]))
    .refine((where) => Object.keys(where).length <= WHERE_MAX, `At most ${WHERE_MAX} columns can be filtered.`)
    .default({}),
  sort: spec.sort,
  limit: z.int().min(1).max(50_000).optional(),
  timeUnit: z.enum(TIME_UNITS).optional(),
  timezone: z.string().max(64).default("UTC"),
});
export type DataQuery = z.output<typeof dataQuery>;

export const bindingDataSchema = z.object({
  fields: z.array(fieldSchema.pick({ name: true, type: true })),
  rows: z.array(z.record(z.string(), z.unknown())),
  builtAt: isoDate,
  ageMs: count,
  truncated: z.boolean().describe("There are more rows"),
  notice: z.string().nullable().describe("Advice about the omitted rows; null if none are omitted"),
});
export type BindingData = z.infer<typeof bindingDataSchema>;
