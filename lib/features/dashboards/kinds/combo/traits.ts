import { toFirstDimension } from "../../browser/edit/shelves";
import type { KindTraits } from "../kind-traits";
import { DRAWN_TRAITS, fillBlank, findGroupFields, NO_SHELVES, suggestMeasures } from "../suggest";

/** Bars, and a line with a separate axis. */
export const comboTraits = {
  label: "Combo chart",
  reference: "the combo chart",
  size: { w: 6, h: 8 },
  ...DRAWN_TRAITS,
  looks: { combo: "Combo" },
  lookOf: () => "combo",
  toPlain: (spec) => ({ ...spec }),
  withLook: (plain) => ({ ...plain }),
  suggest(spec, _, fields) {
    const { time, word } = findGroupFields(fields);
    const dimensions = [time ?? word ?? fields[0]].flatMap((field) => (field ? [toFirstDimension(field)] : []));
    const measures = [...suggestMeasures(fields), { field: null, op: "count", as: "rows" } as const];
    return fillBlank(spec, { ...NO_SHELVES, dimensions, measures });
  },
} as const satisfies KindTraits;
