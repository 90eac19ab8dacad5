import type { LucideIcon } from "lucide-react";
import { kindOfLook, type Look } from "@/lib/features/dashboards/browser/edit/looks";
import type { WidgetKind } from "@/lib/features/dashboards/kinds/traits";
import { boxEditor } from "./box/editor";
import { chartEditor } from "./chart/editor";
import { comboEditor } from "./combo/editor";
import { funnelEditor } from "./funnel/editor";
import { gaugeEditor } from "./gauge/editor";
import { heatmapEditor } from "./heatmap/editor";
import type { KindEditor } from "./kind-editor";
import { kpiEditor } from "./kpi/editor";
import { mapEditor } from "./map/editor";
import { pivotEditor } from "./pivot/editor";
import { sankeyEditor } from "./sankey/editor";
import { tableEditor } from "./table/editor";
import { textEditor } from "./text/editor";

/** All widget kinds, as the editor edits them. */
export const KIND_EDITORS: Readonly<Record<WidgetKind, KindEditor>> = {
  kpi: kpiEditor,
  chart: chartEditor,
  combo: comboEditor,
  gauge: gaugeEditor,
  funnel: funnelEditor,
  sankey: sankeyEditor,
  heatmap: heatmapEditor,
  box: boxEditor,
  map: mapEditor,
  table: tableEditor,
  pivot: pivotEditor,
  text: textEditor,
};

export function iconOfLook(look: Look): LucideIcon {
  const icon = KIND_EDITORS[kindOfLook(look)].icons[look];
  if (icon === undefined) throw new Error(`The look ${look} has no icon.`);
  return icon;
}
