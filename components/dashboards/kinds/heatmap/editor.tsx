"use client";

import { Grid3x3 } from "lucide-react";
import { FormatFields } from "@/components/dashboards/edit/format-fields";
import type { ShelfRules } from "@/components/dashboards/edit/shelves-form";
import { SpecShelves } from "@/components/dashboards/edit/spec-shelves";
import type { DataFormProps, KindEditor } from "@/components/dashboards/kinds/kind-editor";

const RULES: ShelfRules = {
  legend: "Group by",
  labels: ["Columns", "Rows"],
  dimensionsMax: 2,
  isFirstRequired: true,
  measuresMax: 1,
  isSorted: false,
};

export const heatmapEditor: KindEditor = {
  icons: { heatmap: Grid3x3 },
  Shelves: (props) => <SpecShelves {...props} rulesOf={() => RULES} />,
  Settings: HeatmapSettings,
};

function HeatmapSettings(props: DataFormProps) {
  const { spec, onChange } = props;
  return (
    <>
      <FormatFields {...props} />
      <fieldset className="edit-checks">
        <label>
          <input
            type="checkbox"
            checked={spec.labels === true}
            onChange={({ target }) => onChange({ ...spec, labels: target.checked || undefined }, "Change value labels")}
          />
          Value labels
        </label>
      </fieldset>
    </>
  );
}
