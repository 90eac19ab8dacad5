"use client";

import { Gauge, Ruler } from "lucide-react";
import { FormatFields } from "@/components/dashboards/edit/format-fields";
import { NumberField } from "@/components/dashboards/edit/number-field";
import { NONE, type ShelfRules } from "@/components/dashboards/edit/shelves-form";
import { SpecShelves } from "@/components/dashboards/edit/spec-shelves";
import type { DataFormProps, KindEditor } from "@/components/dashboards/kinds/kind-editor";
import { Select } from "@/components/ui/select";

const RULES: ShelfRules = { legend: "Group by", labels: [], dimensionsMax: 0, measuresMax: 1, isSorted: false };

export const gaugeEditor: KindEditor = {
  icons: { gauge: Gauge, progress: Ruler },
  Shelves: (props) => <SpecShelves {...props} rulesOf={() => RULES} />,
  Settings: GaugeSettings,
};

function GaugeSettings(props: DataFormProps) {
  const { spec, onChange } = props;
  const set = (name: string) => (value: number | undefined) =>
    onChange({ ...spec, [name]: value }, `Change ${name}`, name);
  return (
    <>
      <fieldset className="edit-part">
        <legend>Goal</legend>
        <div className="edit-two">
          <NumberField label="Goal" value={spec.goal} onChange={set("goal")} />
          <div className="field">
            <span className="flabel">An increase is</span>
            <Select
              label="An increase is"
              size="sm"
              value={spec.better === "down" ? "down" : NONE}
              options={[
                { value: NONE, label: "good" },
                { value: "down", label: "bad" },
              ]}
              onChange={(better) => onChange({ ...spec, better: better === NONE ? undefined : better }, "Change goal")}
            />
          </div>
        </div>
        <div className="edit-two">
          <NumberField label="Minimum" value={spec.min} onChange={set("min")} />
          <NumberField label="Maximum" value={spec.max} onChange={set("max")} />
        </div>
      </fieldset>
      <FormatFields {...props} />
    </>
  );
}
