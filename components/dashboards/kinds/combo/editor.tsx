"use client";

import { ChartNoAxesCombined } from "lucide-react";
import { FormatFields } from "@/components/dashboards/edit/format-fields";
import type { ShelfRules } from "@/components/dashboards/edit/shelves-form";
import { SpecShelves } from "@/components/dashboards/edit/spec-shelves";
import type { KindEditor } from "@/components/dashboards/kinds/kind-editor";
import { COMBO_MEASURES_MAX } from "@/lib/features/dashboards/kinds/combo/limits";

const RULES: ShelfRules = {
  legend: "Group by",
  labels: ["X-axis"],
  dimensionsMax: 1,
  isFirstRequired: true,
  // The last one is the line.
  measuresMax: COMBO_MEASURES_MAX,
  isSorted: true,
};

export const comboEditor: KindEditor = {
  icons: { combo: ChartNoAxesCombined },
  Shelves: (props) => <SpecShelves {...props} rulesOf={() => RULES} />,
  Settings: FormatFields,
};
