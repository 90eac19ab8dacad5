import { z } from "zod";
import { GOALS_MAX, LABEL_CHARS_MAX, PALETTE } from "@/lib/base/charts/extras";
import { DATE_FORMS, DIGITS_MAX, NUMBER_STYLES, UNIT_CHARS_MAX } from "@/lib/base/charts/value-format";
import { type AggregateSpec, aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { boundedText } from "@/lib/platform/http/schema";

/* Properties of drawings that several kinds have. */

/** More columns than a widget has. */
const FORMATS_MAX = 50;
const DIGITS_WORDS = `digits must be a whole number from 0 to ${DIGITS_MAX}.`;
const unit = boundedText(UNIT_CHARS_MAX, `At most ${UNIT_CHARS_MAX} characters.`).optional();

/** Formats of numbers and dates, by column. */
export const formats = z
  .record(
    z.string(),
    z.strictObject(
      {
        style: z.enum(NUMBER_STYLES, `style must be one of ${NUMBER_STYLES.join(", ")}.`).optional(),
        digits: z.int(DIGITS_WORDS).min(0, DIGITS_WORDS).max(DIGITS_MAX, DIGITS_WORDS).optional(),
        prefix: unit,
        suffix: unit,
        date: z.enum(DATE_FORMS, `date must be one of ${DATE_FORMS.join(", ")}.`).optional(),
      },
      "Use style, digits, prefix, suffix and date.",
    ),
    "formats must be an object with a format per column.",
  )
  .refine((value) => Object.keys(value).length <= FORMATS_MAX, `At most ${FORMATS_MAX} formats.`)
  .optional();

const COLOUR_WORDS = `A colour must be a whole number from 1 to ${PALETTE}.`;
/** More names than a chart can tell apart. */
const COLOURS_MAX = 100;
const label = boundedText(LABEL_CHARS_MAX, `At most ${LABEL_CHARS_MAX} characters.`).optional();
export const finite = (name: string) => z.number(`${name} must be a number.`);

/** Additions of a chart to its marks. */
export const extras = {
  goals: z
    .array(
      z.strictObject({ value: finite("value"), label }, "A goal must be {value, label?}."),
      "goals must be a list of {value, label?}.",
    )
    .max(GOALS_MAX, `At most ${GOALS_MAX} goals.`)
    .optional(),
  titles: z.strictObject({ x: label, y: label }, "titles must be {x?, y?}.").optional(),
  labels: z.boolean("Must be true or false.").optional(),
  formats,
  colours: z
    .record(
      z.string(),
      z.int(COLOUR_WORDS).min(1, COLOUR_WORDS).max(PALETTE, COLOUR_WORDS),
      "colours must be an object with a number per name.",
    )
    .refine((value) => Object.keys(value).length <= COLOURS_MAX, `At most ${COLOURS_MAX} colours.`)
    .optional(),
};

/**
 * Reads the query of a specification that may have more columns than its kind draws, as after a change of the look. A
 * sort by another column is dropped.
 */
export function queryOfFirst(
  shown: { dimensions: number; measures: number },
  isOneRow = false,
  schema: z.ZodType<AggregateSpec> = aggregateSpec,
) {
  return schema.transform(({ dimensions, measures, sort, limit, timeUnit }): AggregateSpec => {
    const query = { dimensions: dimensions.slice(0, shown.dimensions), measures: measures.slice(0, shown.measures) };
    const names = [
      ...query.dimensions.map((each) => ("as" in each && each.as) || each.field),
      ...query.measures.map(
        ({ field, op, by, as }) => as ?? (by ? `${field}_per_${by}` : field ? `${op}_${field}` : op),
      ),
    ];
    return {
      ...query,
      sort: sort.filter(({ by }) => names.includes(by)),
      limit: isOneRow ? 1 : limit,
      ...(timeUnit && { timeUnit }),
    };
  });
}
