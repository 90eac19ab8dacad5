import { toFirstDimension } from "../../browser/edit/shelves";
import type { KindTraits } from "../kind-traits";
import { DRAWN_TRAITS, fillBlank, findGroupFields, NO_SHELVES, suggestMeasures } from "../suggest";

/** A value for each pair of two dimensions. */
export const heatmapTraits = {
  label: "Heat map",
  reference: "the heat map",
  size: { w: 8, h: 8 },
  ...DRAWN_TRAITS,
  looks: { heatmap: "Heat map" },
  lookOf: () => "heatmap",
  toPlain: ({ labels: _, ...plain }) => plain,
  withLook: (plain) => ({ ...plain }),
  suggest(spec, _, fields) {
    const { time, word } = findGroupFields(fields);
    const other = fields.find((field) => field !== time && field !== word);
    const dimensions = [time ?? word, time ? word : other].flatMap((field) => (field ? [toFirstDimension(field)] : []));
    return fillBlank(spec, { ...NO_SHELVES, dimensions, measures: suggestMeasures(fields) });
  },
} as const satisfies KindTraits;
