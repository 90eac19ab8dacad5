import { toColumnName, toFirstDimension } from "../../browser/edit/shelves";
import type { KindTraits } from "../kind-traits";
import { DRAWN_TRAITS, fillBlank, findGroupFields, NO_SHELVES, suggestMeasures } from "../suggest";

/** Steps of a process, each as a part of the first. */
export const funnelTraits = {
  label: "Funnel",
  reference: "the funnel",
  size: { w: 6, h: 8 },
  ...DRAWN_TRAITS,
  looks: { funnel: "Funnel" },
  lookOf: () => "funnel",
  toPlain: (spec) => ({ ...spec }),
  withLook: (plain) => ({ ...plain }),
  suggest(spec, _, fields) {
    const { time, word } = findGroupFields(fields);
    const dimensions = [word ?? time ?? fields[0]].flatMap((field) => (field ? [toFirstDimension(field)] : []));
    const measures = suggestMeasures(fields);
    const sort = measures[0] ? ({ by: toColumnName(measures[0]), order: "desc" } as const) : null;
    return fillBlank(spec, { ...NO_SHELVES, dimensions, measures, sort });
  },
} as const satisfies KindTraits;
