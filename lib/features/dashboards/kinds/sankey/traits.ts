import { isTimeField } from "@/lib/base/charts/settings";
import { isNumericField } from "@/lib/base/values/cell-text";
import { toColumnName, toFirstDimension } from "../../browser/edit/shelves";
import type { KindTraits } from "../kind-traits";
import { DRAWN_TRAITS, fillBlank, NO_SHELVES, suggestMeasures } from "../suggest";

/** Flows from the values of one dimension to those of another. */
export const sankeyTraits = {
  label: "Sankey diagram",
  reference: "the Sankey diagram",
  size: { w: 8, h: 9 },
  ...DRAWN_TRAITS,
  looks: { sankey: "Sankey" },
  lookOf: () => "sankey",
  toPlain: (spec) => ({ ...spec }),
  withLook: (plain) => ({ ...plain }),
  suggest(spec, _, fields) {
    const words = fields.filter((field) => !isTimeField(field) && !isNumericField(field));
    const dimensions = words.slice(0, 2).map(toFirstDimension);
    const measures = suggestMeasures(fields);
    const sort = measures[0] ? ({ by: toColumnName(measures[0]), order: "desc" } as const) : null;
    return fillBlank(spec, { ...NO_SHELVES, dimensions, measures, sort });
  },
} as const satisfies KindTraits;
