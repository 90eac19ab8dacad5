import { readShelves, toColumnName, toFirstDimension } from "../../browser/edit/shelves";
import type { KindTraits } from "../kind-traits";
import { dropDrawn, fillBlank, findGroupFields, NO_SHELVES, suggestMeasures } from "../suggest";

/** Steps of a process, each as a part of the first. */
export const funnelTraits = {
  label: "Funnel",
  reference: "the funnel",
  size: { w: 6, h: 8 },
  readsData: true,
  looks: { funnel: "Funnel" },
  initial: {},
  computed: ["dimensions", "measures", "sort", "limit", "timeUnit"],
  dimensions: ["dimensions"],
  lookOf: () => "funnel",
  toPlain: dropDrawn,
  withLook: (plain) => ({ ...plain }),
  readShelves,
  suggest(spec, _, fields) {
    const { time, word } = findGroupFields(fields);
    const dimensions = [word ?? time ?? fields[0]].flatMap((field) => (field ? [toFirstDimension(field)] : []));
    const measures = suggestMeasures(fields);
    const sort = measures[0] ? ({ by: toColumnName(measures[0]), order: "desc" } as const) : null;
    return fillBlank(spec, { ...NO_SHELVES, dimensions, measures, sort });
  },
} as const satisfies KindTraits;
