import type { WidgetKind } from "@/lib/features/dashboards/kinds/traits";
import { boxView } from "./box";
import { chartView } from "./chart";
import { comboView } from "./combo";
import { funnelView } from "./funnel";
import { gaugeView } from "./gauge";
import { heatmapView } from "./heatmap";
import type { KindView } from "./kind-view";
import { kpiView } from "./kpi";
import { mapView } from "./map";
import { pivotView } from "./pivot";
import { sankeyView } from "./sankey";
import { tableView } from "./table";
import { textView } from "./text";

/** All widget kinds, as pages show them. `editors.ts` has what only the editor needs. */
export const KIND_VIEWS: Readonly<Record<WidgetKind, KindView>> = {
  kpi: kpiView,
  chart: chartView,
  combo: comboView,
  gauge: gaugeView,
  funnel: funnelView,
  sankey: sankeyView,
  heatmap: heatmapView,
  box: boxView,
  map: mapView,
  table: tableView,
  pivot: pivotView,
  text: textView,
};
