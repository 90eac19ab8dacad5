"use client";

import { useId } from "react";
import { Select } from "@/components/ui/select";
import type { ResultField } from "@/lib/tabular/json-rows";
import { isNumericField } from "@/lib/ui/cell-text";
import {
  CHART_KINDS,
  type ChartKind,
  type ChartShelves,
  type Measure,
  toMeasureName,
} from "@/lib/ui/results/chart-shelves";

const KIND_NAMES: Record<ChartKind, string> = { line: "Line", bar: "Bar", area: "Area", dots: "Dots" };
const PER_COLUMN = ["sum", "average", "min", "max", "each"] as const;
/** No column is called this: names cannot hold it as their only letter. */
const NONE = "\u0000";

type ShelvesProps = {
  fields: readonly ResultField[];
  shelves: ChartShelves;
  onChange: (shelves: ChartShelves) => void;
};

/** The four shelves: kind, across, up, colour. */
export function ChartShelvesForm({ fields, shelves, onChange }: ShelvesProps) {
  const columns = fields.map(({ name }) => ({ value: name, label: name }));
  const measures = listMeasures(fields);
  const set = (change: Partial<ChartShelves>) => onChange({ ...shelves, ...change });
  return (
    <>
      <Shelf
        label="Kind"
        value={shelves.kind}
        options={CHART_KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind] }))}
        onChange={(kind) => set({ kind: CHART_KINDS.find((each) => each === kind) ?? "line" })}
      />
      <Shelf label="Across" value={shelves.across} options={columns} onChange={(across) => set({ across })} />
      <Shelf
        label="Up"
        value={toKey(shelves.up)}
        options={measures.map((measure) => ({
          value: toKey(measure),
          label: measure.of === "each" ? `each ${measure.column}` : toMeasureName(measure),
        }))}
        onChange={(key) => set({ up: measures.find((measure) => toKey(measure) === key) ?? shelves.up })}
      />
      <Shelf
        label="Colour"
        value={shelves.colour ?? NONE}
        options={[{ value: NONE, label: "None" }, ...columns]}
        onChange={(name) => set({ colour: name === NONE ? null : name })}
      />
    </>
  );
}

type ShelfProps = {
  label: string;
  value: string;
  options: { value: string; label: string }[];
  onChange: (value: string) => void;
};

function Shelf({ label, value, options, onChange }: ShelfProps) {
  const id = useId();
  return (
    <div className="field">
      <span id={id} className="flabel">
        {label}
      </span>
      <Select labelId={id} size="sm" value={value} options={options} onChange={onChange} />
    </div>
  );
}

function listMeasures(fields: readonly ResultField[]): Measure[] {
  const numeric = fields.filter(isNumericField);
  return [
    { of: "count", column: null },
    ...numeric.flatMap(({ name }) => PER_COLUMN.map((of): Measure => ({ of, column: name }))),
  ];
}

function toKey({ of, column }: Measure): string {
  return `${of} ${column ?? ""}`;
}
