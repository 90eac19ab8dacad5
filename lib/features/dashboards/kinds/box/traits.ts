import { toFirstDimension } from "../../browser/edit/shelves";
import type { KindTraits } from "../kind-traits";
import { DRAWN_TRAITS, fillBlank, findGroupFields, NO_SHELVES, suggestMeasures } from "../suggest";

/** The distribution of a column in each group. */
export const boxTraits = {
  label: "Box plot",
  reference: "the box plot",
  size: { w: 6, h: 8 },
  ...DRAWN_TRAITS,
  looks: { box: "Box plot" },
  lookOf: () => "box",
  toPlain: (spec) => ({ ...spec }),
  withLook: (plain) => ({ ...plain }),
  suggest(spec, _, fields) {
    const { word } = findGroupFields(fields);
    const [amount] = suggestMeasures(fields);
    if (!amount || amount.field === null) return null;
    const measures = [{ field: amount.field, op: "median", as: null } as const];
    return fillBlank(spec, { ...NO_SHELVES, dimensions: word ? [toFirstDimension(word)] : [], measures });
  },
} as const satisfies KindTraits;
