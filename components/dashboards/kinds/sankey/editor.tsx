"use client";

import { Split } from "lucide-react";
import { FormatFields } from "@/components/dashboards/edit/format-fields";
import type { ShelfRules } from "@/components/dashboards/edit/shelves-form";
import { SpecShelves } from "@/components/dashboards/edit/spec-shelves";
import type { KindEditor } from "@/components/dashboards/kinds/kind-editor";

const RULES: ShelfRules = {
  legend: "Flows",
  labels: ["From", "To"],
  dimensionsMax: 2,
  isFirstRequired: true,
  measuresMax: 1,
  isSorted: true,
};

export const sankeyEditor: KindEditor = {
  icons: { sankey: Split },
  Shelves: (props) => <SpecShelves {...props} rulesOf={() => RULES} />,
  Settings: FormatFields,
};
