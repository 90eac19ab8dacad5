"use client";

import { ArrowLeftRight, Grid3x3, Plus, X } from "lucide-react";
import { MeasuresField, NONE, OrderField } from "@/components/dashboards/edit/shelves-form";
import type { DataFormProps, KindEditor } from "@/components/dashboards/kinds/kind-editor";
import { Select } from "@/components/ui/select";
import { SwitchRow } from "@/components/ui/switch-row";
import { isTimeField } from "@/lib/base/charts/settings";
import type { ResultField } from "@/lib/base/values/json-rows";
import {
  type Dimension,
  type readShelves,
  toFirstDimension,
  UNIT_WORDS,
  UNITS,
  writeShelves,
} from "@/lib/features/dashboards/browser/edit/shelves";
import {
  PIVOT_COLUMNS_MAX,
  PIVOT_MEASURES_MAX,
  PIVOT_ROW_GROUPS_MAX,
  PIVOT_ROW_GROUPS_USUAL,
  PIVOT_ROWS_MAX,
} from "@/lib/features/dashboards/kinds/pivot/limits";
import { pivotTraits } from "@/lib/features/dashboards/kinds/pivot/traits";

export const pivotEditor: KindEditor = {
  icons: { pivot: Grid3x3 },
  Shelves: PivotShelves,
  Settings: PivotSettings,
};

function PivotShelves({ spec, fields, onChange }: DataFormProps) {
  const shelves = pivotTraits.readShelves(spec);
  const rowCount = Array.isArray(spec.rows) ? spec.rows.length : 0;
  if (shelves === null) return null;
  const rows = shelves.dimensions.slice(0, rowCount);
  const columns = shelves.dimensions.slice(rowCount);
  const write = (next: { rows?: Dimension[]; columns?: Dimension[] }, words: string) => {
    const own = { rows, columns, ...next };
    const listed = (dimensions: Dimension[]) =>
      writeShelves({}, { ...shelves, dimensions, measures: [], sort: null, limit: null }).dimensions;
    const { rows: _, columns: __, ...rest } = spec;
    // A sort by a removed column is dropped with it.
    const all = [...own.rows, ...own.columns];
    const { dimensions: ___, ...computed } = writeShelves(rest, { ...shelves, dimensions: all });
    onChange(
      { ...computed, rows: listed(own.rows), ...(own.columns.length > 0 && { columns: listed(own.columns) }) },
      words,
    );
  };
  return (
    <>
      <FieldsOf
        legend="Rows"
        name="Row"
        {...{ fields }}
        used={shelves.dimensions}
        dimensions={rows}
        max={PIVOT_ROWS_MAX}
        isNeeded
        onChange={(next, words) => write({ rows: next }, words)}
      />
      <FieldsOf
        legend="Columns"
        name="Column"
        {...{ fields }}
        used={shelves.dimensions}
        dimensions={columns}
        max={PIVOT_COLUMNS_MAX}
        onChange={(next, words) => write({ columns: next }, words)}
      />
      {columns.length > 0 && rows.length <= PIVOT_COLUMNS_MAX && (
        <button
          type="button"
          className="btn sm ghost"
          onClick={() => write({ rows: columns, columns: rows }, "Swap rows and columns")}
        >
          <ArrowLeftRight className="s" />
          Swap rows and columns
        </button>
      )}
      <MeasuresField
        fields={fields}
        measures={shelves.measures}
        max={PIVOT_MEASURES_MAX}
        isNeeded
        onChange={(measures, words) => writeAll({ ...shelves, measures }, words)}
      />
      <OrderField
        shelves={shelves}
        fields={fields}
        limitMax={PIVOT_ROW_GROUPS_MAX}
        unsorted="Label"
        placeholder={String(PIVOT_ROW_GROUPS_USUAL)}
        onChange={writeAll}
      />
    </>
  );
  function writeAll(next: NonNullable<ReturnType<typeof readShelves>>, words: string, part?: string) {
    const { dimensions: _, ...computed } = writeShelves(spec, next);
    onChange(computed, words, part);
  }
}

type FieldsOfProps = {
  legend: string;
  /** Name of one, for its label. */
  name: string;
  fields: readonly ResultField[];
  /** Dimensions of all shelves: each field is offered once. */
  used: readonly Dimension[];
  dimensions: Dimension[];
  max: number;
  /** Whether the last one cannot be removed. */
  isNeeded?: boolean;
  onChange: (dimensions: Dimension[], words: string) => void;
};

function FieldsOf({ legend, name, fields, used, dimensions, max, isNeeded = false, onChange }: FieldsOfProps) {
  const free = fields.filter((field) => !used.some((each) => each.field === field.name));
  const [first] = free;
  return (
    <fieldset className="edit-part">
      <legend>{legend}</legend>
      {dimensions.map((dimension, at) => {
        const field = fields.find((each) => each.name === dimension.field);
        const label = `${name} ${at + 1}`;
        const set = (next: Dimension) => onChange(dimensions.with(at, next), `Group by ${next.field}`);
        return (
          <div key={dimension.field} className="edit-shelf">
            <Select
              label={label}
              size="sm"
              value={dimension.field}
              options={fields
                .filter((each) => each.name === dimension.field || free.includes(each))
                .map((each) => ({ value: each.name, label: each.name }))}
              onChange={(chosen) => {
                const next = fields.find((each) => each.name === chosen);
                if (next) set(toFirstDimension(next));
              }}
            />
            {field && isTimeField(field) && (
              <Select
                label={`Time grain of ${dimension.field}`}
                size="sm"
                value={dimension.timeUnit ?? NONE}
                options={[
                  { value: NONE, label: "no grouping" },
                  ...UNITS.map((unit) => ({ value: unit as string, label: UNIT_WORDS[unit] })),
                ]}
                onChange={(unit) => set({ ...dimension, timeUnit: UNITS.find((each) => each === unit) ?? null })}
              />
            )}
            {!(isNeeded && dimensions.length === 1) && (
              <button
                type="button"
                className="btn icon sm ghost"
                aria-label={`Remove ${label.toLowerCase()}`}
                onClick={() => onChange(dimensions.toSpliced(at, 1), `Remove ${dimension.field}`)}
              >
                <X className="s" />
              </button>
            )}
          </div>
        );
      })}
      {dimensions.length < max && first && (
        <button
          type="button"
          className="btn sm ghost"
          onClick={() => onChange([...dimensions, toFirstDimension(first)], `Group by ${first.name}`)}
        >
          <Plus className="s" />
          Add {name.toLowerCase()}
        </button>
      )}
    </fieldset>
  );
}

/** Totals and shading. */
function PivotSettings({ spec, onChange }: DataFormProps) {
  const toggle = (name: string, label: string, help: string) => (
    <SwitchRow
      label={label}
      help={help}
      isOn={spec[name] !== false}
      onChange={(isOn) =>
        onChange({ ...spec, [name]: isOn ? undefined : false }, `${isOn ? "Show" : "Hide"} ${label.toLowerCase()}`)
      }
    />
  );
  return (
    <>
      {toggle("totals", "Totals", "Computed from all rows of the dataset")}
      {toggle("subtotals", "Subtotals", "One total per row group")}
      {toggle("heat", "Shading", "Higher values are darker")}
    </>
  );
}
