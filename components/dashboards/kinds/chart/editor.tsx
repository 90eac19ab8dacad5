"use client";

import { AreaChart, ChartBar, ChartBarStacked, ChartLine, ChartPie, ChartScatter } from "lucide-react";
import { ExtrasFields } from "@/components/dashboards/edit/extras-fields";
import { MEASURES_MAX, type ShelfRules } from "@/components/dashboards/edit/shelves-form";
import { SpecShelves } from "@/components/dashboards/edit/spec-shelves";
import type { KindEditor } from "@/components/dashboards/kinds/kind-editor";

const PIE: ShelfRules = {
  legend: "Group by",
  labels: ["Slices", "Colour by"],
  dimensionsMax: 1,
  isFirstRequired: true,
  measuresMax: 1,
  isSorted: true,
};

export const chartEditor: KindEditor = {
  icons: {
    line: ChartLine,
    bar: ChartBar,
    stacked: ChartBarStacked,
    area: AreaChart,
    scatter: ChartScatter,
    pie: ChartPie,
  },
  Shelves: (props) => (
    <SpecShelves
      {...props}
      rulesOf={(look, { measures }) => (look === "pie" ? PIE : ofAxis(measures.length > 1 ? 1 : 2))}
    />
  ),
  Settings: (props) => (props.look === "own" ? null : <ExtrasFields {...props} />),
};

/** Each measure has a colour, so that several leave none for a dimension. */
function ofAxis(dimensionsMax: number): ShelfRules {
  return {
    legend: "Group by",
    labels: ["X-axis", "Colour by"],
    dimensionsMax,
    isFirstRequired: true,
    measuresMax: MEASURES_MAX,
    isSorted: true,
  };
}
