"use client";

import { Plus, X } from "lucide-react";
import { useId } from "react";
import { Select } from "@/components/ui/select";
import { isTimeField } from "@/lib/base/charts/settings";
import { isNumericField } from "@/lib/base/values/cell-text";
import type { ResultField } from "@/lib/base/values/json-rows";
import {
  columnsOf, type Dimension, LIMIT_MAX, type Measure, OPERATION_WORDS, type Operation, operationsFor, type Shelves, toFirstDimension, UNIT_WORDS, UNITS,
} from "@/lib/features/dashboards/browser/edit/shelves"; // biome-ignore format: one look at the whole list

/** Value for no column. */
export const NONE = "\u0000";
/** Same limit as on the server (docs/develop/api.md, Dashboards). */
export const DIMENSIONS_MAX = 8;
export const MEASURES_MAX = 20;

/** The shelves that a look has. */
export type ShelfRules = {
  /** Heading of the dimensions. */
  legend: string;
  /** Labels of the first dimensions; others are numbered. */
  labels: readonly string[];
  dimensionsMax: number;
  /** Whether only times can be dimensions. */
  isOfTimes?: boolean;
  /** Whether the first dimension cannot be removed. */
  isFirstRequired?: boolean;
  /** Whether dimensions are added by a button, not by an empty shelf. */
  hasAddButton?: boolean;
  measuresMax: number;
  /** Operations of the measures; default: all that a column supports. */
  operations?: readonly Operation[];
  /** Whether sort order and limit apply. */
  isSorted: boolean;
};

type ShelvesFormProps = {
  rules: ShelfRules;
  fields: readonly ResultField[];
  shelves: Shelves;
  onChange: (shelves: Shelves, words: string, part?: string) => void;
};

/** Dimensions, measures, sort order and limit of a widget, each by column name. */
export function ShelvesForm({ rules, fields, shelves, onChange }: ShelvesFormProps) {
  const { dimensions, measures } = shelves;
  const { labels, dimensionsMax } = rules;
  const columns = rules.isOfTimes ? fields.filter(isTimeField) : fields;
  const shown = Math.max(dimensions.length, rules.hasAddButton ? 0 : Math.min(dimensionsMax, dimensions.length + 1));
  const setDimension = (at: number, next: Dimension | null) => {
    const changed = next === null ? dimensions.toSpliced(at, 1) : dimensions.toSpliced(at, 1, next);
    onChange({ ...shelves, dimensions: changed }, next === null ? "Remove column" : `Group by ${next.field}`);
  };
  const setMeasures = (next: Measure[], words: string) => onChange({ ...shelves, measures: next }, words);
  const free = fields.find(({ name }) => !dimensions.some(({ field }) => field === name));
  return (
    <>
      {dimensionsMax > 0 && (
        <fieldset className="edit-part">
          <legend>{rules.legend}</legend>
          {Array.from({ length: shown }, (_, at) => {
            const dimension = dimensions[at];
            const field = fields.find(({ name }) => name === dimension?.field);
            const label = labels[at] ?? `Column ${at + 1}`;
            const isNeeded = rules.isFirstRequired === true && at === 0;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a shelf is its place
              <div key={at} className="field">
                <span className="flabel">{label}</span>
                <div className="edit-shelf">
                  <Select
                    label={label}
                    size="sm"
                    value={dimension?.field ?? NONE}
                    placeholder="Select a column"
                    options={[
                      ...(isNeeded ? [] : [{ value: NONE, label: "None" }]),
                      ...columns.map(({ name }) => ({ value: name, label: name })),
                    ]}
                    onChange={(name) => {
                      const chosen = fields.find((each) => each.name === name);
                      setDimension(at, name === NONE || !chosen ? null : toFirstDimension(chosen));
                    }}
                  />
                  {dimension && field && isTimeField(field) && (
                    <Select
                      label={`Time grain of ${dimension.field}`}
                      size="sm"
                      value={dimension.timeUnit ?? NONE}
                      options={[
                        { value: NONE, label: "no grouping" },
                        ...UNITS.map((unit) => ({ value: unit as string, label: UNIT_WORDS[unit] })),
                      ]}
                      onChange={(unit) =>
                        setDimension(at, { ...dimension, timeUnit: UNITS.find((each) => each === unit) ?? null })
                      }
                    />
                  )}
                </div>
              </div>
            );
          })}
          {rules.hasAddButton && dimensions.length < dimensionsMax && free && (
            <button
              type="button"
              className="btn sm ghost"
              onClick={() => setDimension(dimensions.length, toFirstDimension(free))}
            >
              <Plus className="s" />
              Add column
            </button>
          )}
        </fieldset>
      )}
      <MeasuresField
        fields={fields}
        measures={measures}
        max={rules.measuresMax}
        operations={rules.operations}
        onChange={setMeasures}
      />
      {rules.isSorted && <OrderField {...{ fields, shelves, onChange }} limitMax={LIMIT_MAX} placeholder="5000" />}
    </>
  );
}

type MeasuresFieldProps = {
  fields: readonly ResultField[];
  measures: Measure[];
  max: number;
  /** Whether the last one cannot be removed. */
  isNeeded?: boolean;
  /** Default: all that a column supports. */
  operations?: readonly Operation[] | undefined;
  onChange: (measures: Measure[], words: string) => void;
};

/** The measures of a widget: an operation and a column each. */
export function MeasuresField(props: MeasuresFieldProps) {
  const { fields, measures, max, isNeeded = false, operations, onChange } = props;
  return (
    <fieldset className="edit-part">
      <legend>Measures</legend>
      {measures.map((measure, at) => {
        const field = fields.find(({ name }) => name === measure.field);
        const set = (next: Measure) => onChange(measures.with(at, next), "Change measure");
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a shelf is its place
          <div key={at} className="edit-shelf two">
            <Select
              label={`Measure ${at + 1}`}
              size="sm"
              value={operations?.includes(measure.op) === false ? (operations[0] ?? measure.op) : measure.op}
              options={operationsFor(field, operations).map((op) => ({ value: op, label: OPERATION_WORDS[op] }))}
              onChange={(op) => {
                const able = fields.find((each) => operationsFor(each, operations).includes(op));
                const column = measure.field ?? (op === "count" ? null : (able?.name ?? null));
                if (op === "count" || column !== null) set(withOperation({ ...measure, field: column }, op, fields));
              }}
            />
            <Select
              label={`Measure ${at + 1} column`}
              size="sm"
              value={measure.field ?? NONE}
              options={[
                ...(measure.op === "count" ? [{ value: NONE, label: "rows" }] : []),
                ...fields
                  .filter((each) => operationsFor(each, operations).length > 0)
                  .map(({ name }) => ({ value: name, label: name })),
              ]}
              onChange={(name) => {
                if (name === NONE) return set({ ...measure, field: null });
                const may = operationsFor(
                  fields.find((each) => each.name === name),
                  operations,
                );
                const op = may.includes(measure.op) ? measure.op : (may[0] ?? "count");
                set(withOperation({ ...measure, field: name }, op, fields));
              }}
            />
            {!(isNeeded && measures.length === 1) && (
              <button
                type="button"
                className="btn icon sm ghost"
                aria-label={`Remove measure ${at + 1}`}
                onClick={() => onChange(measures.toSpliced(at, 1), "Remove measure")}
              >
                <X className="s" />
              </button>
            )}
            {measure.by !== undefined && (
              <div className="edit-per">
                <Select
                  label={`Measure ${at + 1} divisor`}
                  size="sm"
                  value={measure.by}
                  options={fields.filter(isNumericField).map(({ name }) => ({ value: name, label: `per ${name}` }))}
                  onChange={(by) => set({ ...measure, by })}
                />
              </div>
            )}
          </div>
        );
      })}
      {measures.length < max && (
        <button
          type="button"
          className="btn sm ghost"
          onClick={() => onChange([...measures, toNextMeasure(fields, measures, operations)], "Add measure")}
        >
          <Plus className="s" />
          Add measure
        </button>
      )}
    </fieldset>
  );
}

type OrderFieldProps = {
  fields: readonly ResultField[];
  shelves: Shelves;
  limitMax: number;
  placeholder: string;
  /** Order without a sort. */
  unsorted?: string;
  onChange: (shelves: Shelves, words: string, part?: string) => void;
};

/** Sort order and limit of a widget. */
export function OrderField({
  fields,
  shelves,
  limitMax,
  placeholder,
  unsorted = "Query order",
  onChange,
}: OrderFieldProps) {
  const id = useId();
  const { sort, limit } = shelves;
  const names = columnsOf(shelves).length > 0 ? columnsOf(shelves) : fields.map(({ name }) => name);
  return (
    <fieldset className="edit-part">
      <legend>Sort</legend>
      <div className="edit-two">
        <Select
          label="Sort by"
          size="sm"
          value={sort?.by ?? NONE}
          options={[{ value: NONE, label: unsorted }, ...names.map((name) => ({ value: name, label: name }))]}
          onChange={(by) =>
            onChange(
              { ...shelves, sort: by === NONE ? null : { by, order: sort?.order ?? "desc" } },
              by === NONE ? "Remove sort" : `Sort by ${by}`,
            )
          }
        />
        <Select
          label="Direction"
          size="sm"
          value={sort?.order ?? "desc"}
          isDisabled={sort === null}
          options={[
            { value: "desc", label: "Descending" },
            { value: "asc", label: "Ascending" },
          ]}
          onChange={(order) => sort && onChange({ ...shelves, sort: { ...sort, order } }, "Reverse sort")}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-limit`}>Row limit</label>
        <div className="input">
          <input
            id={`${id}-limit`}
            type="number"
            inputMode="numeric"
            min={1}
            max={limitMax}
            placeholder={placeholder}
            value={limit ?? ""}
            onChange={({ target }) => {
              const asked = Math.round(target.valueAsNumber);
              const next = Number.isFinite(asked) ? Math.min(limitMax, Math.max(1, asked)) : null;
              onChange({ ...shelves, limit: next }, "Change row limit", "limit");
            }}
          />
        </div>
      </div>
    </fieldset>
  );
}

/** Changes the operation of a measure. A ratio needs a divisor. */
function withOperation({ by, ...measure }: Measure, op: Operation, fields: readonly ResultField[]): Measure {
  if (op !== "ratio") return { ...measure, op };
  const divisor = by ?? fields.find((each) => isNumericField(each) && each.name !== measure.field)?.name;
  return { ...measure, op, by: divisor ?? measure.field ?? "" };
}

function toNextMeasure(
  fields: readonly ResultField[],
  measures: readonly Measure[],
  operations?: readonly Operation[],
): Measure {
  if (operations) {
    const able = fields.find((field) => operationsFor(field, operations).length > 0);
    return { field: able?.name ?? null, op: operations[0] ?? "count", as: null };
  }
  const isTaken = (name: string) => measures.some(({ field, op }) => field === name && op === "sum");
  const number = fields.find((field) => operationsFor(field).includes("sum") && !isTaken(field.name));
  return number && measures.length > 0
    ? { field: number.name, op: "sum", as: null }
    : { field: null, op: "count", as: null };
}
