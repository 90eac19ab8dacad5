"use client";

import { Hash } from "lucide-react";
import { useId } from "react";
import { MEASURES_MAX, NONE, type ShelfRules } from "@/components/dashboards/edit/shelves-form";
import { SpecShelves } from "@/components/dashboards/edit/spec-shelves";
import type { DataFormProps, KindEditor } from "@/components/dashboards/kinds/kind-editor";
import { Select } from "@/components/ui/select";
import { isTimeField } from "@/lib/base/charts/settings";
import { UNIT_CHARS_MAX } from "@/lib/base/charts/value-format";
import { UNIT_WORDS, UNITS } from "@/lib/features/dashboards/browser/edit/shelves";

const RULES: ShelfRules = {
  legend: "Comparison",
  labels: ["Time column"],
  dimensionsMax: 1,
  isOfTimes: true,
  measuresMax: MEASURES_MAX,
  isSorted: false,
};

export const kpiEditor: KindEditor = {
  icons: { kpi: Hash },
  Shelves: (props) => <SpecShelves {...props} rulesOf={() => RULES} />,
  Settings: KpiSettings,
};

function readTrend(value: unknown): { field: string; timeUnit: (typeof UNITS)[number] } | null {
  if (typeof value !== "object" || value === null || !("field" in value) || typeof value.field !== "string")
    return null;
  const unit = "timeUnit" in value ? value.timeUnit : undefined;
  return { field: value.field, timeUnit: UNITS.find((each) => each === unit) ?? "month" };
}

/** Sparkline, unit and good direction of a figure. */
function KpiSettings({ spec, fields, onChange }: DataFormProps) {
  const set = (change: Record<string, unknown>, words: string, part?: string) =>
    onChange({ ...spec, ...change }, words, part);
  const id = useId();
  const field = (name: "prefix" | "suffix", label: string, placeholder: string) => (
    <div className="field">
      <label htmlFor={`${id}-${name}`}>{label}</label>
      <div className="input">
        <input
          id={`${id}-${name}`}
          value={typeof spec[name] === "string" ? spec[name] : ""}
          placeholder={placeholder}
          maxLength={UNIT_CHARS_MAX}
          onChange={({ target }) => set({ [name]: target.value || undefined }, `Change ${name}`, name)}
        />
      </div>
    </div>
  );
  const times = fields.filter(isTimeField);
  const trend = readTrend(spec.trend);
  const hasOwnTimes = Array.isArray(spec.dimensions) && spec.dimensions.length > 0;
  return (
    <fieldset className="edit-part">
      <legend>Number format</legend>
      {times.length > 0 && !hasOwnTimes && (
        <div className="edit-two">
          <Select
            label="Sparkline"
            size="sm"
            value={trend?.field ?? NONE}
            options={[{ value: NONE, label: "None" }, ...times.map(({ name }) => ({ value: name, label: name }))]}
            onChange={(column) =>
              set(
                { trend: column === NONE ? undefined : { field: column, timeUnit: trend?.timeUnit ?? "month" } },
                column === NONE ? "Remove sparkline" : "Add sparkline",
              )
            }
          />
          <Select
            label="Sparkline grain"
            size="sm"
            value={trend?.timeUnit ?? "month"}
            isDisabled={trend === null}
            options={UNITS.filter((unit) => unit !== "hour").map((unit) => ({ value: unit, label: UNIT_WORDS[unit] }))}
            onChange={(timeUnit) => trend && set({ trend: { ...trend, timeUnit } }, "Change sparkline")}
          />
        </div>
      )}
      <div className="edit-two">
        {field("prefix", "Prefix", "€")}
        {field("suffix", "Suffix", "%")}
      </div>
      <div className="field">
        <span className="flabel">An increase is</span>
        <Select
          label="An increase is"
          size="sm"
          value={spec.better === "up" || spec.better === "down" ? spec.better : NONE}
          options={[
            { value: NONE, label: "neutral" },
            { value: "up", label: "good" },
            { value: "down", label: "bad" },
          ]}
          onChange={(better) => set({ better: better === NONE ? undefined : better }, "Change increase colour")}
        />
      </div>
    </fieldset>
  );
}
