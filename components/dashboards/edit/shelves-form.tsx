"use client";

import { Plus, X } from "lucide-react";
import { useId } from "react";
import { Select } from "@/components/ui/select";
import { SwitchRow } from "@/components/ui/switch-row";
import { isTimeField } from "@/lib/base/charts/settings";
import type { ResultField } from "@/lib/base/values/json-rows";
import {
  columnsOf, type Dimension, LIMIT_MAX, type Look, type Measure, OPERATION_WORDS, operationsFor, type Shelves, toFirstDimension, UNIT_WORDS, UNITS,
} from "@/lib/features/dashboards/browser/edit/shelves"; // biome-ignore format: one look at the whole list

/** Value for no column. */
const NONE = "\u0000";
/** Same limit as on the server (docs/develop/api.md, Dashboards). */
const DIMENSIONS_MAX = 8;
const MEASURES_MAX = 20;

type ShelvesFormProps = {
  look: Look;
  fields: readonly ResultField[];
  shelves: Shelves;
  onChange: (shelves: Shelves, words: string, part?: string) => void;
};

/** Dimensions, measures, sort order and limit of a widget, each by column name. */
export function ShelvesForm({ look, fields, shelves, onChange }: ShelvesFormProps) {
  const { dimensions, measures, sort, limit } = shelves;
  const id = useId();
  const times = fields.filter(isTimeField);
  const acrossMax =
    look === "table" ? DIMENSIONS_MAX : look === "kpi" || look === "pie" ? 1 : measures.length > 1 ? 1 : 2;
  const columns = look === "kpi" ? times : fields;
  const labels =
    look === "table" ? [] : look === "kpi" ? ["Time column"] : [look === "pie" ? "Slices" : "X-axis", "Colour by"];
  const shown = Math.max(dimensions.length, look === "table" ? 0 : Math.min(acrossMax, dimensions.length + 1));
  const setDimension = (at: number, next: Dimension | null) => {
    const changed = next === null ? dimensions.toSpliced(at, 1) : dimensions.toSpliced(at, 1, next);
    onChange({ ...shelves, dimensions: changed }, next === null ? "Remove column" : `Group by ${next.field}`);
  };
  const setMeasures = (next: Measure[], words: string) => onChange({ ...shelves, measures: next }, words);
  const free = fields.find(({ name }) => !dimensions.some(({ field }) => field === name));
  const names = columnsOf(shelves).length > 0 ? columnsOf(shelves) : fields.map(({ name }) => name);
  return (
    <>
      <fieldset className="edit-part">
        <legend>{look === "table" ? "Group by" : look === "kpi" ? "Comparison" : "Group by"}</legend>
        {Array.from({ length: shown }, (_, at) => {
          const dimension = dimensions[at];
          const field = fields.find(({ name }) => name === dimension?.field);
          const label = labels[at] ?? `Column ${at + 1}`;
          const isNeeded = look !== "kpi" && look !== "table" && at === 0;
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
        {look === "table" && dimensions.length < acrossMax && free && (
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
      <fieldset className="edit-part">
        <legend>Measures</legend>
        {measures.map((measure, at) => {
          const field = fields.find(({ name }) => name === measure.field);
          const set = (next: Measure) => setMeasures(measures.with(at, next), "Change measure");
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a shelf is its place
            <div key={at} className="edit-shelf two">
              <Select
                label={`Measure ${at + 1}`}
                size="sm"
                value={measure.op}
                options={operationsFor(field).map((op) => ({ value: op, label: OPERATION_WORDS[op] }))}
                onChange={(op) => {
                  const able = fields.find((each) => operationsFor(each).includes(op));
                  const column = measure.field ?? (op === "count" ? null : (able?.name ?? null));
                  if (op === "count" || column !== null) set({ ...measure, op, field: column });
                }}
              />
              <Select
                label={`Measure ${at + 1} column`}
                size="sm"
                value={measure.field ?? NONE}
                options={[
                  ...(measure.op === "count" ? [{ value: NONE, label: "rows" }] : []),
                  ...fields.map(({ name }) => ({ value: name, label: name })),
                ]}
                onChange={(name) => {
                  if (name === NONE) return set({ ...measure, field: null });
                  const may = operationsFor(fields.find((each) => each.name === name));
                  set({ ...measure, field: name, op: may.includes(measure.op) ? measure.op : "count" });
                }}
              />
              <button
                type="button"
                className="btn icon sm ghost"
                aria-label={`Remove measure ${at + 1}`}
                onClick={() => setMeasures(measures.toSpliced(at, 1), "Remove measure")}
              >
                <X className="s" />
              </button>
            </div>
          );
        })}
        {measures.length < (look === "pie" ? 1 : MEASURES_MAX) && (
          <button
            type="button"
            className="btn sm ghost"
            onClick={() => setMeasures([...measures, toNextMeasure(fields, measures)], "Add measure")}
          >
            <Plus className="s" />
            Add measure
          </button>
        )}
      </fieldset>
      {look !== "kpi" && (
        <fieldset className="edit-part">
          <legend>Sort</legend>
          <div className="edit-two">
            <Select
              label="Sort by"
              size="sm"
              value={sort?.by ?? NONE}
              options={[{ value: NONE, label: "Query order" }, ...names.map((name) => ({ value: name, label: name }))]}
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
                max={LIMIT_MAX}
                placeholder="5000"
                value={limit ?? ""}
                onChange={({ target }) => {
                  const asked = Math.round(target.valueAsNumber);
                  const next = Number.isFinite(asked) ? Math.min(LIMIT_MAX, Math.max(1, asked)) : null;
                  onChange({ ...shelves, limit: next }, "Change row limit", "limit");
                }}
              />
            </div>
          </div>
        </fieldset>
      )}
    </>
  );
}

function toNextMeasure(fields: readonly ResultField[], measures: readonly Measure[]): Measure {
  const isTaken = (name: string) => measures.some(({ field, op }) => field === name && op === "sum");
  const number = fields.find((field) => operationsFor(field).includes("sum") && !isTaken(field.name));
  return number && measures.length > 0
    ? { field: number.name, op: "sum", as: null }
    : { field: null, op: "count", as: null };
}

function readTrend(value: unknown): { field: string; timeUnit: (typeof UNITS)[number] } | null {
  if (typeof value !== "object" || value === null || !("field" in value) || typeof value.field !== "string")
    return null;
  const unit = "timeUnit" in value ? value.timeUnit : undefined;
  return { field: value.field, timeUnit: UNITS.find((each) => each === unit) ?? "month" };
}

type ExtrasProps = {
  look: Look | "own";
  spec: Readonly<Record<string, unknown>>;
  /** Columns of the widget's source. */
  fields: readonly ResultField[];
  onChange: (change: Record<string, unknown>, words: string, part?: string) => void;
};

/** Settings that only one kind of widget has. */
export function LookExtras({ look, spec, fields, onChange }: ExtrasProps) {
  const id = useId();
  const field = (name: "prefix" | "suffix", label: string, placeholder: string) => (
    <div className="field">
      <label htmlFor={`${id}-${name}`}>{label}</label>
      <div className="input">
        <input
          id={`${id}-${name}`}
          value={typeof spec[name] === "string" ? spec[name] : ""}
          placeholder={placeholder}
          maxLength={12}
          onChange={({ target }) => onChange({ [name]: target.value || undefined }, `Change ${name}`, name)}
        />
      </div>
    </div>
  );
  if (look === "table") {
    return (
      <SwitchRow
        label="Totals"
        help="Adds a total row"
        isOn={spec.totals === true}
        onChange={(isOn) => onChange({ totals: isOn || undefined }, isOn ? "Show totals" : "Hide totals")}
      />
    );
  }
  if (look !== "kpi") return null;
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
              onChange(
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
            onChange={(timeUnit) => trend && onChange({ trend: { ...trend, timeUnit } }, "Change sparkline")}
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
          onChange={(better) => onChange({ better: better === NONE ? undefined : better }, "Change increase colour")}
        />
      </div>
    </fieldset>
  );
}
