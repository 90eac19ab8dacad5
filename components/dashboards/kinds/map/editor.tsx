"use client";

import { Earth, MapPin } from "lucide-react";
import { FormatFields } from "@/components/dashboards/edit/format-fields";
import type { ShelfRules } from "@/components/dashboards/edit/shelves-form";
import { SpecShelves } from "@/components/dashboards/edit/spec-shelves";
import type { KindEditor } from "@/components/dashboards/kinds/kind-editor";

const REGIONS: ShelfRules = {
  ...{ legend: "Places", labels: ["Country"], dimensionsMax: 1, isFirstRequired: true, measuresMax: 1 },
  isSorted: true,
};
/** The second measure is the colour. */
const POINTS: ShelfRules = {
  ...{ legend: "Places", labels: ["Latitude", "Longitude", "Label"], dimensionsMax: 3, measuresMax: 2 },
  isSorted: true,
};

export const mapEditor: KindEditor = {
  icons: { regions: Earth, points: MapPin },
  Shelves: (props) => <SpecShelves {...props} rulesOf={(look) => (look === "points" ? POINTS : REGIONS)} />,
  Settings: FormatFields,
};
