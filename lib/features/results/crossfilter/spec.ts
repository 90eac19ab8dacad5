import { z } from "zod";
import { boundedText } from "@/lib/platform/http/schema";

/* Schemas of a widget's query and a filter's condition (docs/develop/api.md, Dashboards). */

export const AGGREGATES = [
  "count",
  "countDistinct",
  "sum",
  "avg",
  "min",
  "max",
  "median",
  "q1",
  "q3",
  "ratio",
] as const;
export const TIME_UNITS = ["year", "quarter", "month", "week", "day", "hour"] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** No chart can show more, and no page of a table has room for more. */
const DIMENSIONS_MAX = 8;
const MEASURES_MAX = 20;
const SORTS_MAX = 8;
/** Maximum number of groups or rows of one widget: browsers cannot draw more marks quickly. */
export const LIMIT_MAX = 50_000;
const LIMIT_USUAL = 5000;
const LIMIT_WORDS = `Limit must be a whole number from 1 to ${LIMIT_MAX}.`;
/** Twice the longest column name that databases allow. */
const NAME_CHARS_MAX = 256;

const columnName = boundedText(NAME_CHARS_MAX).min(1, "Column is required.");

const timeUnit = z.enum(TIME_UNITS, `Time unit must be one of ${TIME_UNITS.join(", ")}.`);
export const dimension = z.union(
  [
    columnName.transform((field) => ({ field })),
    z.object({ field: columnName, timeUnit: timeUnit.optional(), as: columnName.optional() }),
  ],
  `Dimension must be a column name, or {field, timeUnit?, as?} with one of ${TIME_UNITS.join(", ")}.`,
);
/** Without a field, `count` counts rows. `ratio` divides the sum of `field` by the sum of `by`. */
const measure = z
  .object(
    {
      field: columnName.optional(),
      op: z.enum(AGGREGATES, `Operation must be one of ${AGGREGATES.join(", ")}.`),
      by: columnName.optional(),
      as: columnName.optional(),
    },
    "Measure must be {field?, op, as?}.",
  )
  .refine(({ field, op }) => field !== undefined || op === "count", "field is required for this op.")
  .refine(({ by, op }) => (by !== undefined) === (op === "ratio"), "by is required for the op ratio, and only there.");

/** The part of a widget's `spec` that the server reads; properties of the drawing pass through. */
export const aggregateSpec = z.object({
  dimensions: z
    .array(dimension, "dimensions must be a list of columns.")
    .max(DIMENSIONS_MAX, `At most ${DIMENSIONS_MAX} dimensions.`)
    .default([]),
  measures: z
    .array(measure, "measures must be a list of {field?, op, as?}.")
    .max(MEASURES_MAX, `At most ${MEASURES_MAX} measures.`)
    .default([]),
  sort: z
    .array(
      z.object(
        { by: columnName, order: z.enum(["asc", "desc"], "Order must be asc or desc.").default("asc") },
        "Sort entry must be {by, order?}.",
      ),
      "Sort order must be a list of {by, order?}.",
    )
    .max(SORTS_MAX, `At most ${SORTS_MAX} sort entries.`)
    .default([]),
  limit: z.int(LIMIT_WORDS).min(1, LIMIT_WORDS).max(LIMIT_MAX, LIMIT_WORDS).default(LIMIT_USUAL),
  /** Default for time dimensions without their own unit. */
  timeUnit: timeUnit.optional(),
});
export type AggregateSpec = z.output<typeof aggregateSpec>;

/** One condition on a dataset's rows: a filter's value, with its preset resolved to days and its kind known. */
export type Condition =
  /** Days in the dashboard's zone, inclusive; null for an open end. */
  | { field: string; kind: "days"; from: string | null; to: string | null }
  /** Any of these values, as in rows; null for rows without a value. */
  | { field: string; kind: "oneOf"; values: (string | number | boolean | null)[] }
  /** Numbers, inclusive; null for an open end. */
  | { field: string; kind: "between"; from: number | null; to: number | null }
  /** The value contains the text, ignoring case. */
  | { field: string; kind: "contains"; text: string };
