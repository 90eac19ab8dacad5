"use client";

import { ChartCandlestick } from "lucide-react";
import { FormatFields } from "@/components/dashboards/edit/format-fields";
import type { ShelfRules } from "@/components/dashboards/edit/shelves-form";
import { SpecShelves } from "@/components/dashboards/edit/spec-shelves";
import type { KindEditor } from "@/components/dashboards/kinds/kind-editor";

const RULES: ShelfRules = {
  legend: "Group by",
  labels: ["Groups"],
  dimensionsMax: 1,
  measuresMax: 1,
  operations: ["median"],
  isSorted: false,
};

export const boxEditor: KindEditor = {
  icons: { box: ChartCandlestick },
  Shelves: (props) => <SpecShelves {...props} rulesOf={() => RULES} />,
  Settings: FormatFields,
};
