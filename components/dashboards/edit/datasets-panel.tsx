"use client";

import { Plus, Trash2 } from "lucide-react";
import { useId } from "react";
import { EditSide } from "@/components/dashboards/edit/edit-side";
import { SourceField } from "@/components/dashboards/edit/source-field";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import { type SourceState, useDatasetSources } from "@/components/dashboards/edit/use-preview";
import { FirstRowsNotice } from "@/components/dashboards/first-rows-notice";
import { useDatabases } from "@/components/schema/use-schema";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import { SwitchRow } from "@/components/ui/switch-row";
import { TextField } from "@/components/ui/text-field";
import { ACCEPT_HELP, ACCEPT_LABEL } from "@/lib/base/values/cut-rows";
import {
  addDataset,
  changeDataset,
  readersOf,
  removeDataset,
  toWidgetName,
} from "@/lib/features/dashboards/browser/edit/draft";
import { DATASETS_MAX } from "@/lib/features/dashboards/limits";
import type { Dataset } from "@/lib/features/dashboards/schema";
import { formatCountOf } from "@/lib/platform/browser/format";
import { formatAgo } from "@/lib/platform/browser/format-time";

const AGES = [
  { value: "", label: "Until next refresh" },
  { value: "60", label: "1 minute" },
  { value: "300", label: "5 minutes" },
  { value: "3600", label: "1 hour" },
  { value: "21600", label: "6 hours" },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "1 week" },
];

type DatasetsPanelProps = { editing: Editing; dashboardId: string; onClose: () => void };

/** Datasets of the dashboard, each listed once for all its widgets. */
export function DatasetsPanel({ editing, dashboardId, onClose }: DatasetsPanelProps) {
  const { draft, apply } = editing;
  const [database] = useDatabases();
  const isWhole = draft.datasets.every(({ source }) => !("query" in source) || String(source.query).trim() !== "");
  const sources = useDatasetSources(dashboardId, isWhole ? draft.datasets : []);
  const add = () => {
    const source = { connectionId: database?.id ?? "", query: "" };
    const [next] = addDataset(draft, { name: `Dataset ${draft.datasets.length + 1}`, source, maxAgeS: 3600 });
    apply(next, "Add dataset");
  };
  return (
    <EditSide title="Datasets" onClose={onClose}>
      <p className="t2">Datasets are cached. Widgets and filters use the cache, not the database.</p>
      {draft.datasets.map((dataset) => (
        <DatasetItem
          key={dataset.id}
          dataset={dataset}
          editing={editing}
          state={sources.data?.find(({ name }) => name === `dataset:${dataset.id}`)}
        />
      ))}
      {sources.error && <Notice kind="bad">{sources.error.message}</Notice>}
      <button type="button" className="btn" disabled={draft.datasets.length >= DATASETS_MAX || !database} onClick={add}>
        <Plus className="s" />
        Add dataset
      </button>
    </EditSide>
  );
}

type DatasetItemProps = { dataset: Dataset; editing: Editing; state: SourceState | undefined };

function DatasetItem({ dataset, editing, state }: DatasetItemProps) {
  const id = useId();
  const { draft, apply, pause } = editing;
  const readers = readersOf(draft, dataset.id);
  const change = (next: Partial<Dataset>, words: string, part: string | null = null) =>
    apply(changeDataset(draft, dataset.id, next), `${words} ${dataset.name}`, part && `${dataset.id} ${part}`);
  const age = dataset.maxAgeS === null ? "" : String(dataset.maxAgeS);
  return (
    <section className="edit-item" aria-label={dataset.name || "Unnamed dataset"}>
      <TextField
        label="Name"
        value={dataset.name}
        maxLength={120}
        autoComplete="off"
        isDense
        error={dataset.name.trim() === "" ? "Enter a dataset name." : undefined}
        onChange={({ target }) => change({ name: target.value }, "Rename", "name")}
        onBlur={pause}
      />
      <SourceField
        source={dataset.source}
        datasets={[]}
        onChange={(source) => "datasetId" in source || change({ source }, "Change source of")}
      />
      <div className="field">
        <span id={`${id}-age`} className="flabel">
          Cache duration
        </span>
        <Select
          labelId={`${id}-age`}
          size="sm"
          value={age}
          options={AGES.some(({ value }) => value === age) ? AGES : [...AGES, { value: age, label: `${age} seconds` }]}
          onChange={(to) => change({ maxAgeS: to === "" ? null : Number(to) }, "Change cache duration of")}
        />
      </div>
      <SwitchRow
        label={ACCEPT_LABEL}
        help={ACCEPT_HELP}
        isOn={dataset.acceptTruncated === true}
        onChange={(isOn) => change({ acceptTruncated: isOn }, "Change totals of truncated rows of")}
      />
      {state?.error && <Notice kind="bad">{state.error}</Notice>}
      {state?.truncated && state.rowCount !== null && <FirstRowsNotice firstRows={state.rowCount} />}
      <div className="row between xs t3">
        <span>
          {readers.length === 0 ? "Not used by any widget" : `Used by ${readers.map(toWidgetName).join(", ")}`}
          {state?.rowCount != null && `. ${formatCountOf(state.rowCount, "row")}`}
          {state?.cachedAt && `, ${formatAgo(new Date(state.cachedAt), new Date())}`}
        </span>
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label={`Remove dataset ${dataset.name}`}
          disabled={readers.length > 0}
          title={readers.length > 0 ? "In use by widgets" : undefined}
          onClick={() => apply(removeDataset(draft, dataset.id), `Remove dataset ${dataset.name}`)}
        >
          <Trash2 />
        </button>
      </div>
    </section>
  );
}
