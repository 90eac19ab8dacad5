"use client";

import { Plus, X } from "lucide-react";
import { useId } from "react";
import { FormatFields } from "@/components/dashboards/edit/format-fields";
import { NumberField } from "@/components/dashboards/edit/number-field";
import { NONE } from "@/components/dashboards/edit/shelves-form";
import type { DataFormProps } from "@/components/dashboards/kinds/kind-editor";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { GOALS_MAX, LABEL_CHARS_MAX, PALETTE, readExtras } from "@/lib/base/charts/extras";
import { isTimeField } from "@/lib/base/charts/settings";

type FieldsProps = Pick<DataFormProps, "spec" | "fields" | "onChange">;

/** Axis titles, value labels, goal lines, colours and formats of a chart. */
export function ExtrasFields(props: FieldsProps) {
  const { spec, fields, onChange } = props;
  const { goals = [], titles = {}, labels = false } = readExtras(spec) ?? {};
  const set = (name: string, value: object | boolean | string | undefined, words: string, part?: string) =>
    onChange({ ...spec, [name]: value }, words, part);
  const setGoals = (next: typeof goals, words: string, part?: string) =>
    set("goals", next.length === 0 ? undefined : next, words, part);
  const title = (axis: "x" | "y", label: string) => (
    <TextField
      label={label}
      isDense
      value={titles[axis] ?? ""}
      maxLength={LABEL_CHARS_MAX}
      onChange={({ target }) => {
        const next = { ...titles, [axis]: target.value || undefined };
        set("titles", next.x || next.y ? next : undefined, "Change axis title", `title-${axis}`);
      }}
    />
  );
  return (
    <>
      <fieldset className="edit-part">
        <legend>Axes</legend>
        <div className="edit-two">
          {title("x", "X-axis title")}
          {title("y", "Y-axis title")}
        </div>
        <div className="edit-checks">
          <label>
            <input
              type="checkbox"
              checked={labels}
              onChange={({ target }) => set("labels", target.checked || undefined, "Change value labels")}
            />
            Value labels
          </label>
          {fields.some(isTimeField) && (
            <label>
              <input
                type="checkbox"
                checked={spec.compare === "year"}
                onChange={({ target }) => set("compare", target.checked ? "year" : undefined, "Change comparison")}
              />
              Compare with last year
            </label>
          )}
        </div>
      </fieldset>
      <fieldset className="edit-part">
        <legend>Goal lines</legend>
        {goals.map((goal, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a goal is its place
          <div key={at} className="edit-two">
            <NumberField
              label={`Goal ${at + 1}`}
              value={goal.value}
              onChange={(value) =>
                setGoals(goals.with(at, { ...goal, value: value ?? 0 }), "Change goal", `goal-${at}`)
              }
            />
            <div className="row">
              <TextField
                label="Label"
                isDense
                value={goal.label ?? ""}
                maxLength={LABEL_CHARS_MAX}
                onChange={({ target }) =>
                  setGoals(goals.with(at, { ...goal, label: target.value || undefined }), "Change goal", `goal-${at}`)
                }
              />
              <button
                type="button"
                className="btn icon sm ghost"
                aria-label={`Remove goal ${at + 1}`}
                onClick={() => setGoals(goals.toSpliced(at, 1), "Remove goal")}
              >
                <X className="s" />
              </button>
            </div>
          </div>
        ))}
        {goals.length < GOALS_MAX && (
          <button type="button" className="btn sm ghost" onClick={() => setGoals([...goals, { value: 0 }], "Add goal")}>
            <Plus className="s" />
            Add goal
          </button>
        )}
      </fieldset>
      <Colours {...props} />
      <FormatFields {...props} />
    </>
  );
}

/** Colours by the name of a series, slice or bar. */
function Colours({ spec, onChange }: FieldsProps) {
  const id = useId();
  const { colours = {} } = readExtras(spec) ?? {};
  const set = (next: Record<string, number>, words: string, part?: string) =>
    onChange({ ...spec, colours: Object.keys(next).length === 0 ? undefined : next }, words, part);
  return (
    <fieldset className="edit-part">
      <legend>Colours by value</legend>
      {Object.entries(colours).map(([name, colour], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while it is typed
        <div key={at} className="edit-shelf two">
          <div className="input">
            <input
              id={`${id}-${at}`}
              aria-label={`Value ${at + 1}`}
              value={name}
              onChange={({ target }) => {
                const renamed = Object.entries(colours).map(([each, its]) => [
                  each === name ? target.value : each,
                  its,
                ]);
                set(Object.fromEntries(renamed), "Change colour", `colour-${at}`);
              }}
            />
          </div>
          <Select
            label={`Colour of ${name}`}
            size="sm"
            value={String(colour)}
            options={[
              { value: NONE, label: "Remove" },
              ...Array.from({ length: PALETTE }, (_, i) => ({
                value: String(i + 1),
                label: `Colour ${i + 1}`,
                note: <i className="edit-swatch" style={{ background: `var(--viz-${i + 1})` }} />,
              })),
            ]}
            onChange={(next) => {
              const { [name]: _, ...others } = colours;
              set(next === NONE ? others : { ...colours, [name]: Number(next) }, "Change colour");
            }}
          />
        </div>
      ))}
      <button type="button" className="btn sm ghost" onClick={() => set({ ...colours, "": 1 }, "Add colour")}>
        <Plus className="s" />
        Add colour
      </button>
    </fieldset>
  );
}
