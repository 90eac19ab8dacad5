import type { KindTraits } from "../kind-traits";
import { DRAWN_TRAITS, fillBlank, NO_SHELVES, suggestMeasures } from "../suggest";

/** One value as a part of its goal. */
export const gaugeTraits = {
  label: "Gauge",
  reference: "the gauge",
  size: { w: 4, h: 6 },
  ...DRAWN_TRAITS,
  looks: { gauge: "Gauge", progress: "Progress" },
  lookOf: ({ mark }) => (mark === "progress" ? "progress" : "gauge"),
  toPlain: ({ mark: _mark, goal: _goal, min: _min, max: _max, better: _better, ...plain }) => plain,
  withLook: (plain, look) => ({ ...plain, mark: look }),
  suggest: (spec, _, fields) => fillBlank(spec, { ...NO_SHELVES, measures: suggestMeasures(fields) }),
} as const satisfies KindTraits;
