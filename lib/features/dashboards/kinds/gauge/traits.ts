import { readShelves } from "../../browser/edit/shelves";
import type { KindTraits } from "../kind-traits";
import { dropDrawn, fillBlank, NO_SHELVES, suggestMeasures } from "../suggest";

/** One value as a part of its goal. */
export const gaugeTraits = {
  label: "Gauge",
  reference: "the gauge",
  size: { w: 4, h: 6 },
  readsData: true,
  looks: { gauge: "Gauge", progress: "Progress" },
  initial: {},
  computed: ["dimensions", "measures", "sort", "limit", "timeUnit"],
  dimensions: ["dimensions"],
  lookOf: ({ mark }) => (mark === "progress" ? "progress" : "gauge"),
  toPlain: dropDrawn,
  withLook: (plain, look) => ({ ...plain, mark: look }),
  readShelves,
  suggest: (spec, _, fields) => fillBlank(spec, { ...NO_SHELVES, measures: suggestMeasures(fields) }),
} as const satisfies KindTraits;
