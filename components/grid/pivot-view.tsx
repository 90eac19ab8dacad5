"use client";

import { useEffect, useState } from "react";
import { PivotBody } from "@/components/dashboards/kinds/pivot/pivot-body";
import { LabelledSelect } from "@/components/ui/labelled-select";
import { zoneOf } from "@/lib/base/charts/moments";
import { isTimeField } from "@/lib/base/charts/settings";
import type { CellLook } from "@/lib/base/values/cell-look";
import { isIdentifierField, isNumericField } from "@/lib/base/values/cell-text";
import { GRAIN_WORDS } from "@/lib/base/values/grain-words";
import type { ResultField } from "@/lib/base/values/json-rows";
import { PIVOT_COLUMN_GROUPS_MAX, PIVOT_ROW_GROUPS_MAX } from "@/lib/features/dashboards/kinds/pivot/limits";
import type { WidgetData } from "@/lib/features/dashboards/schema";
import {
  PIVOT_OPS,
  PIVOT_UNITS,
  type PivotGroup,
  type PivotOp,
  type PivotRows,
  toOpWord,
} from "@/lib/features/results/browser/pivot-rows";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import { formatCountOf } from "@/lib/platform/browser/format";
import "@/components/results/results.css";

/** Columns of a pivot table by their position in the result; `value` is null for the number of rows. */
type Shelves = { rows: PivotGroup[]; columns: PivotGroup[]; value: number | null; op: PivotOp };

/** Chosen shelves per list of columns. Kept outside components, which unmount with another view. */
const chosen = new WeakMap<readonly ResultField[], Shelves>();
/** A result is explored by two levels of rows and one of columns; a dashboard's widget has more. */
const ROW_LEVELS = 2;
const NO_PERIOD = {};

/** Pivot table of the shown rows. */
export function PivotView({ source, look, name }: { source: RowsSource; look: CellLook; name: string }) {
  const { fields } = source;
  const [shelves, setShelves] = useState(() => chosen.get(fields) ?? guessShelves(fields));
  const change = (next: Shelves) => {
    chosen.set(fields, next);
    setShelves(next);
  };
  const { made, failure } = usePivot(source, shelves, look);
  const toSpec = (groups: readonly PivotGroup[]) =>
    groups.map(({ column, unit }) => ({ field: fields[column]?.name ?? "", ...(unit && { timeUnit: unit }) }));
  const spec = { rows: toSpec(made?.shelves.rows ?? []), columns: toSpec(made?.shelves.columns ?? []) };
  return (
    <div className="chart-view">
      <div className="result-pivot">
        {failure !== null ? (
          <p className="chart-said" role="alert">
            {failure}
          </p>
        ) : (
          made !== null && (
            <PivotBody
              title={`Pivot of ${name}`}
              spec={spec}
              data={toWidgetData(made.data)}
              rows={made.data.rows}
              look={look}
              period={NO_PERIOD}
            />
          )
        )}
      </div>
      <div className="chart-shelves">
        <PivotShelves fields={fields} shelves={shelves} onChange={change} />
        <p className="xs t3 num">{formatCountOf(source.count, "row")}</p>
      </div>
    </div>
  );
}

/** Returns the data as of a widget without a cache. */
function toWidgetData({ fields, rows, pivot }: PivotRows): WidgetData {
  const typed = fields.map((field) => ({ dbType: "", ...field })) as WidgetData["fields"];
  return { id: "result", fields: typed, rows, pivot, cachedAt: null, ageMs: null, truncated: false };
}

type Made = { data: PivotRows; shelves: Shelves };

/** Returns the pivot table of the shown rows: the previous one until the next is computed. */
function usePivot(source: RowsSource, shelves: Shelves, look: CellLook) {
  const [made, setMade] = useState<Made | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const { arrangement, count } = source;
  const zone = zoneOf(look);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another arrangement lets other rows through
  useEffect(() => {
    let isStale = false;
    const limits = { rowsMax: PIVOT_ROW_GROUPS_MAX, columnsMax: PIVOT_COLUMN_GROUPS_MAX };
    source.pivot({ ...shelves, ...limits, zone }).then(
      (data) => {
        if (isStale) return;
        setFailure(null);
        setMade({ data, shelves });
      },
      (error: unknown) => {
        if (!isStale) setFailure(error instanceof Error ? error.message : "Couldn't compute the pivot table.");
      },
    );
    return () => {
      isStale = true;
    };
  }, [source, shelves, zone, arrangement, count]);
  return { made, failure };
}

const NONE = "none";

type ShelvesProps = { fields: readonly ResultField[]; shelves: Shelves; onChange: (shelves: Shelves) => void };

function PivotShelves({ fields, shelves, onChange }: ShelvesProps) {
  const { rows, columns, value, op } = shelves;
  const used = [...rows, ...columns].map(({ column }) => column);
  const set = (group: "rows" | "columns", at: number, next: PivotGroup | null) =>
    onChange({
      ...shelves,
      [group]: next === null ? shelves[group].toSpliced(at, 1) : shelves[group].toSpliced(at, 1, next),
    });
  const groupProps = (group: "rows" | "columns", at: number) => ({
    fields,
    used,
    group: shelves[group][at] ?? null,
    onChange: (next: PivotGroup | null) => set(group, at, next),
  });
  const ops = PIVOT_OPS.filter((each) => isOpOf(each, value === null ? null : (fields[value] ?? null)));
  return (
    <>
      {rows.slice(0, ROW_LEVELS).map(({ column }, at) => (
        <GroupField
          key={column}
          label={at === 0 ? "Rows" : "then by"}
          isNeeded={at === 0}
          {...groupProps("rows", at)}
        />
      ))}
      {rows.length < ROW_LEVELS && <GroupField key="next" label="then by" {...groupProps("rows", rows.length)} />}
      <GroupField label="Columns" {...groupProps("columns", 0)} />
      <LabelledSelect
        label="Value"
        value={value === null ? NONE : String(value)}
        options={[
          { value: NONE, label: "Rows" },
          ...fields.map(({ name }, at) => ({ value: String(at), label: name })),
        ]}
        onChange={(next) => {
          const at = next === NONE ? null : Number(next);
          const field = at === null ? null : (fields[at] ?? null);
          onChange({ ...shelves, value: at, op: isOpOf(op, field) && op !== "count" ? op : toUsualOp(field) });
        }}
      />
      {value !== null && (
        <LabelledSelect
          label="Aggregate"
          value={op}
          options={ops.map((each) => ({ value: each, label: toOpWord(each) }))}
          onChange={(next) => onChange({ ...shelves, op: PIVOT_OPS.find((each) => each === next) ?? "count" })}
        />
      )}
    </>
  );
}

type GroupFieldProps = {
  label: string;
  fields: readonly ResultField[];
  /** Columns of all shelves: each is offered once. */
  used: number[];
  group: PivotGroup | null;
  isNeeded?: boolean;
  onChange: (group: PivotGroup | null) => void;
};

function GroupField({ label, fields, used, group, isNeeded = false, onChange }: GroupFieldProps) {
  const field = group && fields[group.column];
  return (
    <>
      <LabelledSelect
        label={label}
        value={group === null ? NONE : String(group.column)}
        options={[
          ...(isNeeded ? [] : [{ value: NONE, label: "None" }]),
          ...fields.flatMap(({ name }, at) =>
            at === group?.column || !used.includes(at) ? [{ value: String(at), label: name }] : [],
          ),
        ]}
        onChange={(next) => onChange(next === NONE ? null : toGroup(fields, Number(next)))}
      />
      {group && field && isTimeField(field) && (
        <LabelledSelect
          label={`Time grain of ${field.name}`}
          value={group.unit ?? NONE}
          options={[
            ...PIVOT_UNITS.map((unit) => ({ value: unit as string, label: GRAIN_WORDS[unit] })),
            { value: NONE, label: "Exact time" },
          ]}
          onChange={(next) => onChange({ ...group, unit: PIVOT_UNITS.find((unit) => unit === next) ?? null })}
        />
      )}
    </>
  );
}

/** Sums and averages are of numbers. */
function isOpOf(op: PivotOp, field: ResultField | null): boolean {
  return (op !== "sum" && op !== "average") || (field !== null && isNumericField(field));
}

function toUsualOp(field: ResultField | null): PivotOp {
  return field !== null && isNumericField(field) && !isIdentifierField(field) ? "sum" : "count";
}

function toGroup(fields: readonly ResultField[], column: number): PivotGroup {
  const field = fields[column];
  return { column, unit: field && isTimeField(field) ? "month" : null };
}

/** Proposes a table: words in rows, times or other words in columns, and the sum of the first number. */
function guessShelves(fields: readonly ResultField[]): Shelves {
  const placesOf = (test: (field: ResultField) => boolean) => [...fields.keys()].filter((at) => test(fields[at] as ResultField)); // biome-ignore format: short
  const words = placesOf(({ type }) => type === "string" || type === "boolean");
  const [time] = placesOf(isTimeField);
  const row = words[0] ?? time ?? 0;
  const across = [time, words[1]].find((at) => at !== undefined && at !== row);
  const [number] = placesOf((field) => isNumericField(field) && !isIdentifierField(field));
  const value = number === undefined || number === row ? null : number;
  return {
    rows: [toGroup(fields, row)],
    columns: across === undefined ? [] : [toGroup(fields, across)],
    value,
    op: value === null ? "count" : "sum",
  };
}
