import { boxTraits } from "./box/traits";
import { chartTraits } from "./chart/traits";
import { comboTraits } from "./combo/traits";
import { funnelTraits } from "./funnel/traits";
import { gaugeTraits } from "./gauge/traits";
import { heatmapTraits } from "./heatmap/traits";
import type { KindTraits } from "./kind-traits";
import { kpiTraits } from "./kpi/traits";
import { mapTraits } from "./map/traits";
import { pivotTraits } from "./pivot/traits";
import { sankeyTraits } from "./sankey/traits";
import { tableTraits } from "./table/traits";
import { textTraits } from "./text/traits";

/** All widget kinds, in the order of the gallery. `registry.ts` has what only the server needs. */
export const KIND_TRAITS = {
  kpi: kpiTraits,
  chart: chartTraits,
  combo: comboTraits,
  gauge: gaugeTraits,
  funnel: funnelTraits,
  sankey: sankeyTraits,
  heatmap: heatmapTraits,
  box: boxTraits,
  map: mapTraits,
  table: tableTraits,
  pivot: pivotTraits,
  text: textTraits,
} as const satisfies Record<string, KindTraits>;

export type WidgetKind = keyof typeof KIND_TRAITS;
export const WIDGET_KINDS = Object.keys(KIND_TRAITS) as [WidgetKind, ...WidgetKind[]];

export function traitsOf(kind: WidgetKind): KindTraits {
  return KIND_TRAITS[kind];
}

/** Returns whether a widget of this kind shows data. */
export function readsData({ kind }: { kind: WidgetKind }): boolean {
  return KIND_TRAITS[kind].readsData;
}
