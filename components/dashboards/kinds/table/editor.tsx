"use client";

import { Table2 } from "lucide-react";
import { FormatFields } from "@/components/dashboards/edit/format-fields";
import { DIMENSIONS_MAX, MEASURES_MAX, type ShelfRules } from "@/components/dashboards/edit/shelves-form";
import { SpecShelves } from "@/components/dashboards/edit/spec-shelves";
import type { DataFormProps, KindEditor } from "@/components/dashboards/kinds/kind-editor";
import { SwitchRow } from "@/components/ui/switch-row";

const RULES: ShelfRules = {
  legend: "Group by",
  labels: [],
  dimensionsMax: DIMENSIONS_MAX,
  hasAddButton: true,
  measuresMax: MEASURES_MAX,
  isSorted: true,
};

export const tableEditor: KindEditor = {
  icons: { table: Table2 },
  Shelves: (props) => <SpecShelves {...props} rulesOf={() => RULES} />,
  Settings: TableSettings,
};

function TableSettings(props: DataFormProps) {
  const { spec, onChange } = props;
  return (
    <>
      <SwitchRow
        label="Totals"
        help="Adds a total row"
        isOn={spec.totals === true}
        onChange={(isOn) => onChange({ ...spec, totals: isOn || undefined }, isOn ? "Show totals" : "Hide totals")}
      />
      <FormatFields {...props} />
    </>
  );
}
