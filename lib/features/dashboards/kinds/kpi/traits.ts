import { readShelves, writeShelves } from "../../browser/edit/shelves";
import { readChartShelves } from "../chart/console-chart";
import type { KindTraits } from "../kind-traits";
import { fillBlank, NO_SHELVES, suggestMeasures } from "../suggest";

/** A large figure, or one for each measure. */
export const kpiTraits = {
  label: "Number",
  reference: "the number",
  // A row of the page takes four.
  size: { w: 3, h: 3 },
  readsData: true,
  looks: { kpi: "Number" },
  initial: {},
  computed: ["dimensions", "measures", "sort", "limit", "timeUnit", "trend"],
  dimensions: ["dimensions"],
  lookOf: () => "kpi",
  toPlain: (spec) => ({ ...spec }),
  withLook: (plain) => ({ ...plain }),
  readShelves,
  suggest: (spec, _, fields) => fillBlank(spec, { ...NO_SHELVES, measures: suggestMeasures(fields) }),
  fromChart(settings) {
    const shelves = settings.kind === "kpi" ? readChartShelves(settings) : null;
    return shelves && writeShelves({}, shelves);
  },
} as const satisfies KindTraits;
