"use client";

import { CopyPlus, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { EditSide } from "@/components/dashboards/edit/edit-side";
import { SourceField } from "@/components/dashboards/edit/source-field";
import { SpecText } from "@/components/dashboards/edit/spec-text";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import { usePreview } from "@/components/dashboards/edit/use-preview";
import { iconOfLook, KIND_EDITORS } from "@/components/dashboards/kinds/editors";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { SwitchRow } from "@/components/ui/switch-row";
import { TextField } from "@/components/ui/text-field";
import { ACCEPT_HELP, ACCEPT_LABEL } from "@/lib/base/values/cut-rows";
import { toCostAdvice, toCostWords } from "@/lib/features/dashboards/browser/edit/click-cost";
import { addDataset, changeFilter, changeWidget, toWidgetName } from "@/lib/features/dashboards/browser/edit/draft";
import { readExclusions, withMember } from "@/lib/features/dashboards/browser/edit/exclusions";
import { kindOfLook, LOOK_WORDS, LOOKS, lookOf, withLook } from "@/lib/features/dashboards/browser/edit/looks";
import type { Shelves } from "@/lib/features/dashboards/browser/edit/shelves";
import { readsData, traitsOf } from "@/lib/features/dashboards/kinds/traits";
import { TAB_CHARS_MAX } from "@/lib/features/dashboards/limits";
import type { Widget } from "@/lib/features/dashboards/schema";
import { formatCount } from "@/lib/platform/browser/format";

type WidgetPanelProps = {
  editing: Editing;
  dashboardId: string;
  widget: Widget;
  /** Called with the tab that the widget moved to; it shows the widget. */
  onTab: (tab: string) => void;
  onDuplicate: (id: string) => void;
  onRemove: (id: string) => void;
  onClose: () => void;
};

/** The panel of one widget: source, look, shelves and format. */
export function WidgetPanel({ editing, dashboardId, widget, onTab, onDuplicate, onRemove, onClose }: WidgetPanelProps) {
  const { draft } = editing;
  const { id, kind, title, spec, tab } = widget;
  const name = toWidgetName(widget);
  const preview = usePreview(dashboardId, draft, widget);
  const fields = preview.source?.fields ?? [];
  const look = lookOf(kind, spec);
  const traits = traitsOf(kind);
  const { Static } = KIND_EDITORS[kind];
  const changes = useWidgetChanges(editing, widget);
  const { change, setSpec } = changes;

  // A blank widget gets a suggestion, once the columns of its source are known.
  const first = fields.length > 0 ? traits.suggest(spec, look, fields) : null;
  const isFirst = first !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when there is something to begin with
  useEffect(() => {
    if (first) setSpec(first, "Set up chart");
  }, [isFirst, id]);

  const part = { editing, widget, changes, preview };
  return (
    <EditSide
      title={title || (look === "own" ? traits.label : LOOK_WORDS[look])}
      onClose={onClose}
      actions={
        <>
          <button
            type="button"
            className="btn ghost icon sm"
            aria-label={`Duplicate ${name}`}
            onClick={() => onDuplicate(id)}
          >
            <CopyPlus />
          </button>
          <button
            type="button"
            className="btn ghost icon sm"
            aria-label={`Remove ${name}`}
            onClick={() => onRemove(id)}
          >
            <Trash2 />
          </button>
        </>
      }
      foot={Static ? undefined : <Foot preview={preview} shelves={traits.readShelves(spec)} />}
    >
      <TextField
        label="Title"
        value={title}
        error={editing.problemOf(`widgets.${id}.title`)}
        maxLength={200}
        autoComplete="off"
        isDense
        onChange={({ target }) => change({ title: target.value }, "Rename", "title")}
        onBlur={editing.pause}
      />
      <TextField
        label="Tab"
        value={tab ?? ""}
        placeholder="All tabs"
        error={editing.problemOf(`widgets.${id}.tab`)}
        maxLength={TAB_CHARS_MAX}
        autoComplete="off"
        isDense
        onChange={({ target: { value } }) => {
          change({ tab: value === "" ? undefined : value }, "Move to tab", "tab");
          if (value !== "") onTab(value);
        }}
        onBlur={editing.pause}
      />
      {Static ? <Static spec={spec} onChange={setSpec} /> : <SourcePart {...part} />}
      <LookPart {...part} />
      <ShelvesPart {...part} />
      {!Static && <ClickPart {...part} />}
      {!Static && <FilterPart {...part} />}
    </EditSide>
  );
}

/** Returns functions that change a widget as one undo step. */
function useWidgetChanges({ draft, apply }: Editing, widget: Widget) {
  const { id } = widget;
  const name = toWidgetName(widget);
  const change = (next: Partial<Widget>, words: string, part?: string) =>
    apply(changeWidget(draft, id, next), `${words}: ${name}`, part ? `${id} ${part}` : null);
  const setSpec = (next: Record<string, unknown>, words: string, part?: string) =>
    change({ spec: clean(next) }, words, part);
  return { change, setSpec };
}

type PartProps = {
  editing: Editing;
  widget: Widget;
  changes: ReturnType<typeof useWidgetChanges>;
  preview: ReturnType<typeof usePreview>;
};

/** The dataset or the query of the widget. */
function SourcePart({ editing: { draft, apply }, widget, changes: { change }, preview }: PartProps) {
  const { id, title, source } = widget;
  const convert = (query: Exclude<NonNullable<Widget["source"]>, { datasetId: string }>) => {
    const [next, datasetId] = addDataset(draft, { name: title || "Dataset", source: query, maxAgeS: null });
    apply(changeWidget(next, id, { source: { datasetId } }), `Convert ${toWidgetName(widget)} to dataset`);
  };
  return (
    <>
      <SourceField
        source={source}
        datasets={draft.datasets}
        onChange={(next) => change({ source: next }, "Change data source")}
      />
      {source && !("datasetId" in source) && (
        <>
          <button type="button" className="btn sm ghost" onClick={() => convert(source)}>
            Convert to dataset
          </button>
          <SwitchRow
            label={ACCEPT_LABEL}
            help={ACCEPT_HELP}
            isOn={widget.acceptTruncated === true}
            onChange={(isOn) => change({ acceptTruncated: isOn }, "Change totals of truncated rows")}
          />
        </>
      )}
      {preview.data?.error && preview.source?.error && <Notice kind="bad">{preview.source.error}</Notice>}
    </>
  );
}

function LookPart({ widget, changes: { change } }: PartProps) {
  const look = lookOf(widget.kind, widget.spec);
  return (
    <section className="edit-part">
      <h3>Type</h3>
      <div className="edit-looks">
        {LOOKS.filter((each) => readsData({ kind: kindOfLook(each) }) === readsData(widget)).map((each) => {
          const Icon = iconOfLook(each);
          return (
            <button
              key={each}
              type="button"
              className="edit-look"
              aria-pressed={each === look}
              onClick={() => change(withLook(widget, each), `Change to ${LOOK_WORDS[each].toLowerCase()}`)}
            >
              <Icon />
              {LOOK_WORDS[each]}
            </button>
          );
        })}
      </div>
    </section>
  );
}

/** The columns of the widget, as a form or as JSON. */
function ShelvesPart({ widget: { kind, source, spec }, changes: { change, setSpec }, preview }: PartProps) {
  const [view, setView] = useState<"names" | "text">("names");
  const { Shelves: ShelvesOfKind, Settings } = KIND_EDITORS[kind];
  const traits = traitsOf(kind);
  const look = lookOf(kind, spec);
  const fields = preview.source?.fields ?? [];
  if (!ShelvesOfKind || source === null) return null;
  return (
    <>
      <Segments
        label="Editor"
        value={view}
        options={[
          { value: "names", label: "Form" },
          { value: "text", label: "JSON" },
        ]}
        onChange={setView}
      />
      {view === "text" ? (
        <SpecText
          spec={spec}
          lists={traits.dimensions}
          onChange={(next) => change({ spec: next }, "Change JSON", "spec")}
        />
      ) : (
        <>
          {look === "own" && <Notice kind="info">Uses custom Vega-Lite. Selecting a type replaces it.</Notice>}
          {traits.readShelves(spec) === null ? (
            <Notice kind="info">This form can't show all settings. Edit the JSON.</Notice>
          ) : fields.length === 0 ? (
            <p className="t3">{preview.isReading ? "Loading columns" : "Run the query to load columns."}</p>
          ) : (
            <ShelvesOfKind look={look} spec={spec} fields={fields} onChange={setSpec} />
          )}
          {Settings && <Settings look={look} spec={spec} fields={fields} onChange={setSpec} />}
        </>
      )}
    </>
  );
}

/** Widgets that clicks on this one do not filter. */
function ClickPart({ editing: { draft }, widget: { id, spec }, changes: { setSpec } }: PartProps) {
  const others = draft.widgets.filter((each) => each.id !== id && readsData(each));
  const excluded = readExclusions(spec, others);
  return (
    <CheckList
      title="Clicks do not filter"
      items={others.map((other) => ({ id: other.id, label: toWidgetName(other) }))}
      checked={excluded}
      onChange={(otherId, isOn) => {
        const exclude = withMember(excluded, otherId, isOn);
        setSpec({ ...spec, exclude: exclude.length === 0 ? undefined : exclude }, "Change exclusions of");
      }}
    />
  );
}

/** Filters of the page that apply to this widget. */
function FilterPart({ editing: { draft, apply }, widget: { id, source } }: PartProps) {
  const filters = draft.filters.filter(
    ({ datasets }) => datasets === "all" || (source && "datasetId" in source && datasets.includes(source.datasetId)),
  );
  return (
    <CheckList
      title="Applied filters"
      items={filters.map((filter) => ({ id: filter.id, label: filter.title || filter.field }))}
      checked={filters.filter(({ exclude }) => !exclude.includes(id)).map((filter) => filter.id)}
      onChange={(filterId, isOn) => {
        const filter = filters.find((each) => each.id === filterId);
        if (filter === undefined) return;
        const exclude = withMember(filter.exclude, id, !isOn);
        apply(changeFilter(draft, filterId, { exclude }), `Change scope of ${filter.title || filter.field}`);
      }}
    />
  );
}

type CheckListProps = {
  title: string;
  items: { id: string; label: string }[];
  checked: readonly string[];
  onChange: (id: string, isOn: boolean) => void;
};

function CheckList({ title, items, checked, onChange }: CheckListProps) {
  if (items.length === 0) return null;
  return (
    <fieldset className="edit-part">
      <legend>{title}</legend>
      <div className="edit-checks">
        {items.map(({ id, label }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={checked.includes(id)}
              onChange={({ target }) => onChange(id, target.checked)}
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

type FootProps = { preview: ReturnType<typeof usePreview>; shelves: Shelves | null };

function Foot({ preview: { data, source, isReading }, shelves }: FootProps) {
  const rows = data && data.error === undefined ? formatCount(data.rows.length) : "";
  const read = source?.rowCount == null ? "" : `of ${formatCount(source.rowCount)}${source.truncated ? "+" : ""} rows`;
  const { tookMs } = data ?? {};
  const isMeasured = !isReading && tookMs !== undefined && data?.error === undefined;
  const advice =
    isMeasured && shelves
      ? toCostAdvice(shelves, { tookMs, shownCount: data?.rows.length ?? 0, rowCount: source?.rowCount ?? null })
      : null;
  return (
    <div className="edit-cost xs num" role="status">
      <p className="t3">
        {isReading ? "Loading" : [rows, read].filter(Boolean).join(" ")}
        {isMeasured && <span className="t2">{toCostWords(tookMs)}</span>}
      </p>
      {advice !== null && <p className="t2">{advice}</p>}
    </div>
  );
}

/** Removes undefined values. */
function clean(spec: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}
