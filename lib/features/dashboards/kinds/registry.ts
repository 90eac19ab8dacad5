import { boxKind } from "./box";
import { chartKind } from "./chart";
import { comboKind } from "./combo";
import { funnelKind } from "./funnel";
import { gaugeKind } from "./gauge";
import { heatmapKind } from "./heatmap";
import type { Kind } from "./kind";
import { kpiKind } from "./kpi";
import { mapKind } from "./map";
import { pivotKind } from "./pivot";
import { sankeyKind } from "./sankey";
import { tableKind } from "./table";
import { textKind } from "./text";
import type { WidgetKind } from "./traits";

/** All widget kinds, as the server needs them. `traits.ts` has what the browser shares. */
export const KINDS: Readonly<Record<WidgetKind, Kind>> = {
  kpi: kpiKind,
  chart: chartKind,
  combo: comboKind,
  gauge: gaugeKind,
  funnel: funnelKind,
  sankey: sankeyKind,
  heatmap: heatmapKind,
  box: boxKind,
  map: mapKind,
  table: tableKind,
  pivot: pivotKind,
  text: textKind,
};
