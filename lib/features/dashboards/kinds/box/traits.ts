import { readShelves, toFirstDimension } from "../../browser/edit/shelves";
import type { KindTraits } from "../kind-traits";
import { dropDrawn, fillBlank, findGroupFields, NO_SHELVES, suggestMeasures } from "../suggest";

/** The distribution of a column in each group. */
export const boxTraits = {
  label: "Box plot",
  reference: "the box plot",
  size: { w: 6, h: 8 },
  readsData: true,
  looks: { box: "Box plot" },
  initial: {},
  computed: ["dimensions", "measures", "sort", "limit", "timeUnit"],
  dimensions: ["dimensions"],
  lookOf: () => "box",
  toPlain: dropDrawn,
  withLook: (plain) => ({ ...plain }),
  readShelves,
  suggest(spec, _, fields) {
    const { word } = findGroupFields(fields);
    const [amount] = suggestMeasures(fields);
    if (!amount || amount.field === null) return null;
    const measures = [{ field: amount.field, op: "median", as: null } as const];
    return fillBlank(spec, { ...NO_SHELVES, dimensions: word ? [toFirstDimension(word)] : [], measures });
  },
} as const satisfies KindTraits;
