"use client";

import { Plus, X } from "lucide-react";
import { useId } from "react";
import { ExtrasForm } from "@/components/chart/extras-form";
import { LabelledSelect } from "@/components/ui/labelled-select";
import { Select } from "@/components/ui/select";
import {
  CHART_KINDS,
  type ChartKind,
  type ChartSettings,
  type ChartSort,
  COUNT,
  isTimeField,
  type Measure,
  type Stacking,
  toMeasureName,
  UP_MAX,
} from "@/lib/base/charts/settings";
import { isNumericField } from "@/lib/base/values/cell-text";
import type { ResultField } from "@/lib/base/values/json-rows";

const KIND_LABELS: Record<ChartKind, string> = { line: "Line", bar: "Bar", area: "Area", scatter: "Scatter", histogram: "Histogram", pie: "Pie", kpi: "Number" }; // biome-ignore format: one look
const STACK_LABELS: Record<Stacking, string> = { stacked: "Stacked", share: "100% stacked", apart: "Grouped" };
const SORT_LABELS: Record<ChartSort, string> = { value: "Value", label: "Name", given: "Query order" };
const TOPS = [3, 5, 10, 20, 50];
const PER_COLUMN = ["sum", "average", "min", "max", "each"] as const;
/** Value for no column: column names cannot consist of this character. */
const NONE = "\u0000";

type FormProps = {
  fields: readonly ResultField[];
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
};

/** Settings of a chart: kind, x axis, y axis, colour and sort order. */
export function ChartSettingsForm({ fields, settings, onChange }: FormProps) {
  const { kind, across, up, colour, stack, sort, top } = settings;
  const columns = fields.map(({ name }) => ({ value: name, label: name }));
  const set = (change: Partial<ChartSettings>) => onChange({ ...settings, ...change });
  const field = fields.find(({ name }) => name === across);
  const isCategory = field !== undefined && !isTimeField(field) && !isNumericField(field);
  const hasSeries = colour !== null || up.length > 1;
  const canSort = kind === "pie" || (isCategory && kind !== "scatter" && kind !== "kpi");
  const acrossColumns =
    kind === "kpi"
      ? columns.filter(({ value }) => fields.some((each) => each.name === value && isTimeField(each)))
      : columns;
  return (
    <>
      <LabelledSelect
        label="Chart type"
        value={kind}
        options={CHART_KINDS.map((each) => ({ value: each, label: KIND_LABELS[each] }))}
        onChange={(next) => onChange(toKind(settings, next, fields))}
      />
      <LabelledSelect
        label={kind === "pie" ? "Slices" : kind === "kpi" ? "Time column" : "X-axis"}
        value={across ?? NONE}
        options={kind === "kpi" ? [{ value: NONE, label: "None" }, ...acrossColumns] : acrossColumns}
        onChange={(name) => set({ across: name === NONE ? null : name })}
      />
      {kind !== "histogram" && <Measures fields={fields} settings={settings} onChange={(next) => set({ up: next })} />}
      {kind !== "pie" && kind !== "kpi" && (up.length === 1 || kind === "histogram" || kind === "scatter") && (
        <LabelledSelect
          label="Colour by"
          value={colour ?? NONE}
          options={[{ value: NONE, label: "None" }, ...columns]}
          onChange={(name) => set({ colour: name === NONE ? null : name })}
        />
      )}
      {(kind === "bar" || kind === "area") && hasSeries && (
        <LabelledSelect
          label="Stacking"
          value={stack}
          options={(["stacked", "share", "apart"] as const).map((each) => ({ value: each, label: STACK_LABELS[each] }))}
          onChange={(next) => set({ stack: next })}
        />
      )}
      {canSort && (
        <LabelledSelect
          label="Sort by"
          value={sort}
          options={(["value", "label", "given"] as const).map((each) => ({ value: each, label: SORT_LABELS[each] }))}
          onChange={(next) => set({ sort: next })}
        />
      )}
      {(canSort || (hasSeries && colour !== null && kind !== "scatter" && kind !== "kpi")) && (
        <LabelledSelect
          label="Limit"
          value={String(top)}
          options={[
            { value: "null", label: "No limit" },
            ...[...new Set([...TOPS, ...(top === null ? [] : [top])])]
              .sort((a, b) => a - b)
              .map((count) => ({ value: String(count), label: `Top ${count} + other` })),
          ]}
          onChange={(next) => set({ top: next === "null" ? null : Number(next) })}
        />
      )}
      {kind !== "pie" && kind !== "kpi" && (
        <ExtrasForm extras={settings.extras ?? {}} onChange={(extras) => set({ extras })} />
      )}
    </>
  );
}

/** Measures on the y axis: one, or several where the kind supports it. */
function Measures({
  fields,
  settings,
  onChange,
}: {
  fields: readonly ResultField[];
  settings: ChartSettings;
  onChange: (up: Measure[]) => void;
}) {
  const id = useId();
  const { kind, up } = settings;
  const measures = listMeasures(fields, kind);
  const options = measures.map((measure) => ({
    value: toKey(measure),
    label: measure.of === "each" ? `${measure.column} (each row)` : toMeasureName(measure),
  }));
  const isOne = kind === "pie" || kind === "scatter";
  const shown = isOne ? up.slice(0, 1) : up;
  const next =
    measures.find((measure) => !up.some((each) => toKey(each) === toKey(measure)) && measure.of === up[0]?.of) ??
    measures.find((measure) => !up.some((each) => toKey(each) === toKey(measure)));
  return (
    <fieldset className="chart-measures" aria-labelledby={id}>
      <span id={id} className="flabel">
        {kind === "pie" || kind === "kpi" ? "Value" : "Y-axis"}
      </span>
      {shown.map((measure, i) => (
        <div key={toKey(measure)} className="chart-measure">
          <Select
            label={i === 0 ? (kind === "pie" || kind === "kpi" ? "Value" : "Y-axis") : `Y-axis ${i + 1}`}
            size="sm"
            value={isOne && kind === "scatter" ? toKey({ ...measure, of: "each" }) : toKey(measure)}
            options={options.filter(
              ({ value }) => value === toKey(measure) || !up.some((each) => toKey(each) === value),
            )}
            onChange={(key) => {
              const chosen = measures.find((each) => toKey(each) === key);
              if (chosen) onChange(up.with(i, chosen));
            }}
          />
          {shown.length > 1 && (
            <button
              type="button"
              className="btn icon sm ghost"
              aria-label={`Remove ${toMeasureName(measure)}`}
              onClick={() => onChange(up.toSpliced(i, 1))}
            >
              <X className="s" />
            </button>
          )}
        </div>
      ))}
      {!isOne && up.length < UP_MAX && next && (
        <button type="button" className="btn sm ghost" onClick={() => onChange([...up, next])}>
          <Plus className="s" />
          Add measure
        </button>
      )}
    </fieldset>
  );
}

/** Switches to another kind and keeps the settings that it can use. */
function toKind(settings: ChartSettings, kind: ChartKind, fields: readonly ResultField[]): ChartSettings {
  const numbers = fields.filter(isNumericField);
  const isOf = (name: string | null, of: readonly ResultField[]) => of.some((field) => field.name === name);
  const scales = fields.filter((field) => isNumericField(field) || isTimeField(field));
  const across = settings.across ?? fields[0]?.name ?? null;
  if (kind === "histogram") {
    const own = [across, ...settings.up.map(({ column }) => column)].find((name) => isOf(name, scales));
    return { ...settings, kind, across: own ?? scales[0]?.name ?? across };
  }
  if (kind === "scatter") {
    const column = settings.up[0]?.column ?? numbers.find(({ name }) => name !== across)?.name ?? numbers[0]?.name;
    return { ...settings, kind, across, up: column === undefined ? settings.up : [{ of: "each", column }] };
  }
  // Dots are not aggregated. Bars and lines of them need an explicit sum.
  const wasDots = settings.kind === "scatter" || settings.kind === "histogram";
  const up = settings.up.map(
    (each): Measure => (each.column === null ? COUNT : wasDots && each.of === "each" ? { ...each, of: "sum" } : each),
  );
  if (kind === "kpi")
    return { ...settings, kind, up, across: isOf(across, fields.filter(isTimeField)) ? across : null };
  return { ...settings, kind, across, up };
}

function listMeasures(fields: readonly ResultField[], kind: ChartKind): Measure[] {
  const numeric = fields.filter(isNumericField);
  if (kind === "scatter") return numeric.map(({ name }) => ({ of: "each", column: name }));
  return [COUNT, ...numeric.flatMap(({ name }) => PER_COLUMN.map((of): Measure => ({ of, column: name })))];
}

function toKey({ of, column }: Measure): string {
  return `${of} ${column ?? ""}`;
}
