"use client";

import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { useId, useMemo } from "react";
import { useSavedConsole } from "@/components/consoles/use-consoles";
import { EditSide } from "@/components/dashboards/edit/edit-side";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import { type SourceState, useDatasetSources, usePreview } from "@/components/dashboards/edit/use-preview";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { SqlScript } from "@/lib/base/sql/statements";
import { PRESET_WORDS } from "@/lib/base/values/date-presets";
import {
  addFilter,
  changeFilter,
  type Draft,
  type FilterKind,
  moveFilter,
  partsOf,
  removeFilter,
  toWidgetName,
} from "@/lib/features/dashboards/browser/edit/draft";
import { withMember } from "@/lib/features/dashboards/browser/edit/exclusions";
import { toDefaultText, toFilterDefault } from "@/lib/features/dashboards/browser/edit/filter-default";
import { readsData } from "@/lib/features/dashboards/kinds/traits";
import { FILTERS_MAX } from "@/lib/features/dashboards/limits";
import type { Filter, Widget } from "@/lib/features/dashboards/schema";

const KINDS: { value: FilterKind; label: string }[] = [
  { value: "dateRange", label: "Date range" },
  { value: "select", label: "Single select" },
  { value: "multiSelect", label: "Multi-select" },
  { value: "search", label: "Contains text" },
];
const ALL = "all";
/** Value for the column with the name of the filter's field. */
const SAME = "\u0000";
const TIMES = new Set(["date", "timestamp", "timestamptz"]);

type FiltersPanelProps = { editing: Editing; dashboardId: string; onClose: () => void };

/** Filters of the page: each narrows all widgets of its datasets except the excluded ones. */
export function FiltersPanel({ editing, dashboardId, onClose }: FiltersPanelProps) {
  const { draft, apply } = editing;
  const sources = useDatasetSources(dashboardId, draft.datasets);
  const fields = [
    ...new Map((sources.data ?? []).flatMap((source) => source.fields).map((field) => [field.name, field])).values(),
  ];
  const add = () => {
    const time = fields.find(({ type }) => TIMES.has(type));
    const field = time ?? fields[0];
    const given = { kind: time ? ("dateRange" as const) : ("select" as const), field: field?.name ?? "", title: null };
    apply(addFilter(draft, { ...given, datasets: ALL, exclude: [], default: null })[0], "Add filter");
  };
  return (
    <EditSide title="Filters" onClose={onClose}>
      <p className="t2">Filters apply to every widget that has the field.</p>
      {draft.datasets.length + draft.widgets.length === 0 && (
        <Notice kind="info">Filters use fields of widgets. Add a widget first.</Notice>
      )}
      {draft.filters.map((filter, at) => (
        <FilterItem
          key={filter.id}
          filter={filter}
          editing={editing}
          dashboardId={dashboardId}
          fields={fields}
          isFirst={at === 0}
          isLast={at === draft.filters.length - 1}
        />
      ))}
      <button type="button" className="btn" disabled={draft.filters.length >= FILTERS_MAX} onClick={add}>
        <Plus className="s" />
        Add filter
      </button>
    </EditSide>
  );
}

type FilterItemProps = {
  filter: Filter;
  editing: Editing;
  dashboardId: string;
  fields: SourceState["fields"];
  isFirst: boolean;
  isLast: boolean;
};

function FilterItem({ filter, editing, dashboardId, fields, isFirst, isLast }: FilterItemProps) {
  const id = useId();
  const { draft, apply, pause } = editing;
  const name = filter.title || filter.field || "unnamed";
  const change = (next: Partial<Filter>, words: string, part: string | null = null) =>
    apply(changeFilter(draft, filter.id, next), `${words} ${name}`, part && `${filter.id} ${part}`);
  const field = fields.find((each) => each.name === filter.field);
  return (
    <section className="edit-item" aria-label={`Filter ${name}`}>
      <div className="edit-two">
        <div className="field">
          <span id={`${id}-kind`} className="flabel">
            Type
          </span>
          <Select
            labelId={`${id}-kind`}
            size="sm"
            value={filter.kind}
            options={KINDS}
            onChange={(kind) => change({ kind }, "Change type of")}
          />
        </div>
        {fields.length > 0 ? (
          <div className="field">
            <span id={`${id}-field`} className="flabel">
              Field
            </span>
            <Select
              labelId={`${id}-field`}
              size="sm"
              value={filter.field}
              placeholder="Select a field"
              options={[
                ...(field || filter.field === "" ? [] : [{ value: filter.field, label: `${filter.field} (missing)` }]),
                ...fields.map((each) => ({ value: each.name, label: each.name })),
              ]}
              onChange={(to) => change({ field: to }, "Change field of")}
            />
          </div>
        ) : (
          <TextField
            label="Field"
            value={filter.field}
            isDense
            onChange={({ target }) => change({ field: target.value }, "Change field of", "field")}
            onBlur={pause}
          />
        )}
      </div>
      <TextField
        label="Title"
        value={filter.title ?? ""}
        placeholder={filter.field}
        maxLength={200}
        isDense
        onChange={({ target }) => change({ title: target.value || null }, "Rename filter", "title")}
        onBlur={pause}
      />
      <DefaultField
        filter={filter}
        type={field?.type}
        onChange={(value) => change({ default: value }, "Change default of", "default")}
      />
      <DatasetChecks filter={filter} datasets={draft.datasets} onChange={change} />
      <ColumnFields filter={filter} draft={draft} dashboardId={dashboardId} onChange={change} />
      {filter.kind !== "multiSelect" && <VariableFields filter={filter} draft={draft} onChange={change} />}
      <ExclusionChecks filter={filter} widgets={draft.widgets.filter(readsData)} onChange={change} />
      <div className="row">
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label={`Move ${name} up`}
          disabled={isFirst}
          onClick={() => apply(moveFilter(draft, filter.id, -1), `Move ${name}`)}
        >
          <ArrowUp />
        </button>
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label={`Move ${name} down`}
          disabled={isLast}
          onClick={() => apply(moveFilter(draft, filter.id, 1), `Move ${name}`)}
        >
          <ArrowDown />
        </button>
        <span className="grow" />
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label={`Remove filter ${name}`}
          onClick={() => apply(removeFilter(draft, filter.id), `Remove filter ${name}`)}
        >
          <Trash2 />
        </button>
      </div>
    </section>
  );
}

type ChangeFilter = (next: Partial<Filter>, words: string) => void;
type DatasetChecksProps = { filter: Filter; datasets: Draft["datasets"]; onChange: ChangeFilter };

/** The datasets that a filter applies to. */
function DatasetChecks({ filter, datasets, onChange }: DatasetChecksProps) {
  if (datasets.length === 0) return null;
  const chosen = filter.datasets === ALL ? null : filter.datasets;
  const change = (next: Filter["datasets"]) => onChange({ datasets: next }, "Change scope of");
  return (
    <fieldset className="edit-checks">
      <legend className="flabel">Applies to</legend>
      <label>
        <input
          type="checkbox"
          checked={chosen === null}
          onChange={({ target }) => change(target.checked ? ALL : datasets.map(({ id }) => id))}
        />
        All widgets with this field
      </label>
      {chosen !== null &&
        datasets.map(({ id, name }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ target }) => change(withMember(chosen, id, target.checked))}
            />
            {name}
          </label>
        ))}
    </fieldset>
  );
}

type ColumnFieldsProps = { filter: Filter; draft: Draft; dashboardId: string; onChange: ChangeFilter };

/** The column that a filter narrows in each widget with a separate source, such as a console. */
function ColumnFields({ filter, draft, dashboardId, onChange }: ColumnFieldsProps) {
  const own = draft.widgets.filter(({ source }) => source && !("datasetId" in source));
  return own.map((widget) => <ColumnField key={widget.id} {...{ filter, draft, dashboardId, widget, onChange }} />);
}

function ColumnField({ filter, draft, dashboardId, widget, onChange }: ColumnFieldsProps & { widget: Widget }) {
  const { source } = usePreview(dashboardId, draft, widget);
  const { [widget.id]: column, ...others } = filter.columns ?? {};
  const names = source?.fields.map(({ name }) => name) ?? [];
  if (column === undefined && names.length === 0) return null;
  const name = toWidgetName(widget);
  return (
    <div className="field">
      <span className="flabel">Column in {name}</span>
      <Select
        label={`Column in ${name}`}
        size="sm"
        value={column ?? SAME}
        placeholder={`${column} (missing)`}
        options={[
          { value: SAME, label: names.includes(filter.field) ? filter.field : "Not filtered" },
          ...names.filter((each) => each !== filter.field).map((each) => ({ value: each, label: each })),
        ]}
        onChange={(next) =>
          onChange({ columns: next === SAME ? others : { ...others, [widget.id]: next } }, "Change columns of")
        }
      />
    </div>
  );
}

type VariableFieldsProps = { filter: Filter; draft: Draft; onChange: ChangeFilter };
type DraftPart = ReturnType<typeof partsOf>[number];

/** The variables that a filter fills in the consoles of the page. */
function VariableFields({ filter, draft, onChange }: VariableFieldsProps) {
  return partsOf(draft).map(
    (part) => part.consoleId !== null && <VariableField key={part.id} {...{ filter, part, onChange }} />,
  );
}

function VariableField({ filter, part, onChange }: Omit<VariableFieldsProps, "draft"> & { part: DraftPart }) {
  const saved = useSavedConsole(part.consoleId).data;
  const names = useMemo(() => SqlScript.of(saved?.content ?? "", "standard").variables(), [saved?.content]);
  const { [part.id]: filled, ...others } = filter.variables ?? {};
  if (filled === undefined && names.length === 0) return null;
  const slots = filter.kind === "dateRange" ? (["from", "to"] as const) : (["value"] as const);
  const change = (slot: (typeof slots)[number], next: string) => {
    const { [slot]: _, ...rest } = filled ?? {};
    const now = next === SAME ? rest : { ...rest, [slot]: next };
    const all = Object.keys(now).length === 0 ? others : { ...others, [part.id]: now };
    onChange({ variables: Object.keys(all).length === 0 ? undefined : all }, "Change variables of");
  };
  return slots.map((slot) => {
    const label = `${SLOT_WORDS[slot]} in ${part.name}`;
    return (
      <div key={slot} className="field">
        <span className="flabel">{label}</span>
        <Select
          label={label}
          size="sm"
          value={filled?.[slot] ?? SAME}
          placeholder={`${filled?.[slot]} (missing)`}
          options={[
            { value: SAME, label: "None" },
            ...names.map(({ name: variable }) => ({ value: variable, label: variable })),
          ]}
          onChange={(next) => change(slot, next)}
        />
      </div>
    );
  });
}

const SLOT_WORDS = { value: "Variable", from: "Start variable", to: "End variable" };

type ExclusionChecksProps = { filter: Filter; widgets: Draft["widgets"]; onChange: ChangeFilter };

/** The widgets that a filter does not apply to. */
function ExclusionChecks({ filter: { exclude, variables = {} }, widgets, onChange }: ExclusionChecksProps) {
  if (widgets.length === 0) return null;
  return (
    <fieldset className="edit-checks">
      <legend className="flabel">Does not filter</legend>
      {widgets.map((widget) => (
        <label key={widget.id}>
          <input
            type="checkbox"
            checked={exclude.includes(widget.id)}
            // All widgets of a dataset show the rows for its variables.
            disabled={variables[toPartId(widget)] !== undefined && !exclude.includes(widget.id)}
            onChange={({ target }) =>
              onChange({ exclude: withMember(exclude, widget.id, target.checked) }, "Change exclusions of")
            }
          />
          {toWidgetName(widget)}
        </label>
      ))}
    </fieldset>
  );
}

function toPartId({ id, source }: Widget): string {
  return source && "datasetId" in source ? source.datasetId : id;
}

type DefaultFieldProps = { filter: Filter; type: string | undefined; onChange: (value: unknown) => void };

/** The default value of a filter. */
function DefaultField({ filter, type, onChange }: DefaultFieldProps) {
  const id = useId();
  const { kind, default: value } = filter;
  if (kind === "dateRange") {
    return (
      <div className="field">
        <span id={id} className="flabel">
          Default
        </span>
        <Select
          labelId={id}
          size="sm"
          value={typeof value === "string" ? value : value === null ? "" : "own"}
          options={[
            { value: "", label: "Any time" },
            ...(typeof value === "object" && value !== null ? [{ value: "own", label: toDefaultText(value) }] : []),
            ...Object.entries(PRESET_WORDS).map(([preset, label]) => ({ value: preset, label })),
          ]}
          onChange={(preset) => preset !== "own" && onChange(preset === "" ? null : preset)}
        />
      </div>
    );
  }
  return (
    <TextField
      label="Default"
      value={toDefaultText(value)}
      isDense
      placeholder={kind === "search" ? "Any text" : "Any value"}
      help={kind === "multiSelect" ? "Separate values with commas" : undefined}
      onChange={({ target }) => onChange(toFilterDefault(kind, target.value, type))}
    />
  );
}
