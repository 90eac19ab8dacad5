"use client";

import { Filter } from "lucide-react";
import { FormatFields } from "@/components/dashboards/edit/format-fields";
import type { ShelfRules } from "@/components/dashboards/edit/shelves-form";
import { SpecShelves } from "@/components/dashboards/edit/spec-shelves";
import type { KindEditor } from "@/components/dashboards/kinds/kind-editor";

const RULES: ShelfRules = {
  legend: "Group by",
  labels: ["Steps"],
  dimensionsMax: 1,
  isFirstRequired: true,
  measuresMax: 1,
  isSorted: true,
};

export const funnelEditor: KindEditor = {
  icons: { funnel: Filter },
  Shelves: (props) => <SpecShelves {...props} rulesOf={() => RULES} />,
  Settings: FormatFields,
};
