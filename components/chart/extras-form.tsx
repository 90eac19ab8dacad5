"use client";

import { SwitchRow } from "@/components/ui/switch-row";
import { TextField } from "@/components/ui/text-field";
import { type ChartExtras, LABEL_CHARS_MAX } from "@/lib/base/charts/extras";

type ExtrasFormProps = { extras: ChartExtras; onChange: (extras: ChartExtras | undefined) => void };

/** Goal line, axis titles and value labels of a chart. */
export function ExtrasForm({ extras, onChange }: ExtrasFormProps) {
  const { goals: [goal, ...others] = [], titles = {}, labels = false } = extras;
  const set = (change: Partial<ChartExtras>) => {
    const given = Object.entries({ ...extras, ...change }).filter(([, value]) => value !== undefined);
    onChange(given.length === 0 ? undefined : Object.fromEntries(given));
  };
  const title = (axis: "x" | "y", label: string) => (
    <TextField
      label={label}
      isDense
      value={titles[axis] ?? ""}
      maxLength={LABEL_CHARS_MAX}
      onChange={({ target }) => {
        const next = { ...titles, [axis]: target.value || undefined };
        set({ titles: next.x || next.y ? next : undefined });
      }}
    />
  );
  return (
    <>
      {title("x", "X-axis title")}
      {title("y", "Y-axis title")}
      <TextField
        label="Goal line"
        isDense
        type="number"
        step="any"
        value={goal?.value ?? ""}
        onChange={({ target: { valueAsNumber } }) => {
          const goals = Number.isNaN(valueAsNumber) ? others : [{ ...goal, value: valueAsNumber }, ...others];
          set({ goals: goals.length === 0 ? undefined : goals });
        }}
      />
      {goal && (
        <TextField
          label="Goal label"
          isDense
          value={goal.label ?? ""}
          maxLength={LABEL_CHARS_MAX}
          onChange={({ target }) => set({ goals: [{ ...goal, label: target.value || undefined }, ...others] })}
        />
      )}
      <SwitchRow
        label="Value labels"
        help="On up to 60 marks"
        isOn={labels}
        onChange={(isOn) => set({ labels: isOn || undefined })}
      />
    </>
  );
}
