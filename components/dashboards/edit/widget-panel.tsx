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
import type { Widget } from "@/lib/features/dashboards/browser/client";
import { toCostAdvice, toCostWords } from "@/lib/features/dashboards/browser/edit/click-cost";
import { addDataset, changeFilter, changeWidget, toWidgetName } from "@/lib/features/dashboards/browser/edit/draft";
import { kindOfLook, LOOK_WORDS, LOOKS, lookOf, withLook } from "@/lib/features/dashboards/browser/edit/looks";
import type { Shelves } from "@/lib/features/dashboards/browser/edit/shelves";
import { readsData, traitsOf } from "@/lib/features/dashboards/kinds/traits";
import { formatCount } from "@/lib/platform/browser/format";

type WidgetPanelProps = {
  editing: Editing;
  dashboardId: string;
  widget: Widget;
  onDuplicate: (id: string) => void;
  onRemove: (id: string) => void;
  onClose: () => void;
};

/** The panel of one widget: source, look, shelves and format. */
export function WidgetPanel({ editing, dashboardId, widget, onDuplicate, onRemove, onClose }: WidgetPanelProps) {
  const { draft, apply } = editing;
  const { id, kind, title, source, spec } = widget;
  const [view, setView] = useState<"names" | "text">("names");
  const name = toWidgetName(widget);
  const preview = usePreview(dashboardId, draft, widget);
  const fields = preview.source?.fields ?? [];
  const look = lookOf(kind, spec);
  const traits = traitsOf(kind);
  const shelves = traits.readShelves(spec);
  const { Static, Shelves: ShelvesOfKind, Settings } = KIND_EDITORS[kind];
  const change = (next: Partial<Widget>, words: string, part?: string) =>
    apply(changeWidget(draft, id, next), `${words}: ${name}`, part ? `${id} ${part}` : null);
  const setSpec = (next: Record<string, unknown>, words: string, part?: string) =>
    change({ spec: clean(next) }, words, part);

  // A blank widget gets a suggestion, once the columns of its source are known.
  const first = fields.length > 0 ? traits.suggest(spec, look, fields) : null;
  const isFirst = first !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when there is something to begin with
  useEffect(() => {
    if (first) setSpec(first, "Set up chart");
  }, [isFirst, id]);

  const others = draft.widgets.filter((each) => each.id !== id && readsData(each));
  const leftAlone = Array.isArray(spec.exclude)
    ? spec.exclude.filter((each) => others.some((other) => other.id === each))
    : [];
  const ofPage = draft.filters.filter(
    ({ datasets }) => datasets === "all" || (source && "datasetId" in source && datasets.includes(source.datasetId)),
  );
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
      foot={Static ? undefined : <Foot preview={preview} shelves={shelves} />}
    >
      <TextField
        label="Title"
        value={title}
        maxLength={200}
        autoComplete="off"
        isDense
        onChange={({ target }) => change({ title: target.value }, "Rename", "title")}
        onBlur={editing.pause}
      />
      {Static ? (
        <Static spec={spec} onChange={setSpec} />
      ) : (
        <>
          <SourceField
            source={source}
            datasets={draft.datasets}
            onChange={(next) => change({ source: next }, "Change data source")}
          />
          {source && !("datasetId" in source) && (
            <button
              type="button"
              className="btn sm ghost"
              onClick={() => {
                const [next, datasetId] = addDataset(draft, { name: title || "Dataset", source, maxAgeS: null });
                apply(changeWidget(next, id, { source: { datasetId } }), `Convert ${name} to dataset`);
              }}
            >
              Convert to dataset
            </button>
          )}
          {source && !("datasetId" in source) && (
            <SwitchRow
              label={ACCEPT_LABEL}
              help={ACCEPT_HELP}
              isOn={widget.acceptTruncated === true}
              onChange={(isOn) => change({ acceptTruncated: isOn }, "Change totals of truncated rows")}
            />
          )}
          {preview.data?.error && preview.source?.error && <Notice kind="bad">{preview.source.error}</Notice>}
        </>
      )}
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
      {ShelvesOfKind && source !== null && (
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
              {shelves === null ? (
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
      )}
      {!Static && others.length > 0 && (
        <fieldset className="edit-part">
          <legend>Clicks do not filter</legend>
          <div className="edit-checks">
            {others.map((other) => (
              <label key={other.id}>
                <input
                  type="checkbox"
                  checked={leftAlone.includes(other.id)}
                  onChange={({ target }) => {
                    const rest = leftAlone.filter((each) => each !== other.id);
                    const exclude = target.checked ? [...rest, other.id] : rest;
                    setSpec({ ...spec, exclude: exclude.length === 0 ? undefined : exclude }, "Change exclusions of");
                  }}
                />
                {toWidgetName(other)}
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {ofPage.length > 0 && !Static && (
        <fieldset className="edit-part">
          <legend>Applied filters</legend>
          <div className="edit-checks">
            {ofPage.map((filter) => (
              <label key={filter.id}>
                <input
                  type="checkbox"
                  checked={!filter.exclude.includes(id)}
                  onChange={({ target }) => {
                    const others = filter.exclude.filter((each) => each !== id);
                    const exclude = target.checked ? others : [...others, id];
                    apply(
                      changeFilter(draft, filter.id, { exclude }),
                      `Change scope of ${filter.title || filter.field}`,
                    );
                  }}
                />
                {filter.title || filter.field}
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </EditSide>
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
