"use client";

import { Play } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { useConsolesById, useRecentConsoles } from "@/components/consoles/use-consoles";
import { MetricSource } from "@/components/dashboards/edit/metric-source";
import { useMetricNames } from "@/components/metrics/use-metrics";
import { useConnections, useDatabases, useFindConnection } from "@/components/schema/use-schema";
import { Select } from "@/components/ui/select";
import type { Dataset, Widget } from "@/lib/features/dashboards/schema";

type Source = NonNullable<Widget["source"]>;
type SourceFieldProps = {
  source: Source | null;
  /** Datasets that can be selected; empty for the source of a dataset. */
  datasets: readonly Dataset[];
  onChange: (source: Source) => void;
};

const QUERY = "\u0000query";
const CONSOLE = "\u0000console";
const METRIC = "\u0000metric";

/** The source of a widget: a dataset of the dashboard, a metric, a custom query, or a saved console. */
export function SourceField({ source, datasets, onChange }: SourceFieldProps) {
  const id = useId();
  const connections = useConnections();
  const own = useFindConnection()(source !== null && "connectionId" in source ? source.connectionId : null);
  const loaded = useDatabases();
  const databases = own && !loaded.includes(own) ? [own, ...loaded] : loaded;
  const recent = useRecentConsoles();
  const chosen = useConsolesById(source !== null && "consoleId" in source ? [source.consoleId] : []);
  const [first] = databases;
  const byId = new Map([...(recent.data ?? []), ...chosen.data].map((each) => [each.id, each]));
  const saved = [...byId.values()].sort((a, b) => a.path.localeCompare(b.path));
  const [metric] = useMetricNames();
  const kind = kindOf(source);
  const choose = (to: string) => {
    if (to === kind) return;
    if (to === QUERY) onChange({ connectionId: first?.id ?? "", query: "" });
    else if (to === METRIC) {
      if (metric) onChange({ metrics: [metric.name] });
    } else if (to === CONSOLE) {
      const [console] = saved;
      if (console) onChange({ consoleId: console.id });
    } else onChange({ datasetId: to });
  };
  return (
    <>
      <div className="field">
        <span id={`${id}-kind`} className="flabel">
          Data source
        </span>
        <Select
          labelId={`${id}-kind`}
          size="sm"
          value={kind}
          placeholder="Select a data source"
          options={[
            ...datasets.map((each) => ({ value: each.id, label: each.name })),
            { value: METRIC, label: "Metric", isDisabled: !metric },
            { value: QUERY, label: "Custom query", isDisabled: !first },
            { value: CONSOLE, label: "Saved console", isDisabled: saved.length === 0 },
          ]}
          onChange={choose}
        />
      </div>
      {source && "metrics" in source && <MetricSource source={source} onChange={onChange} />}
      {source && "consoleId" in source && (
        <div className="field">
          <span id={`${id}-console`} className="flabel">
            Console
          </span>
          <Select
            labelId={`${id}-console`}
            size="sm"
            value={source.consoleId}
            placeholder="Private console"
            options={saved.map((each) => ({ value: each.id, label: each.path }))}
            onChange={(consoleId) => onChange({ consoleId })}
          />
        </div>
      )}
      {source && "query" in source && (
        <>
          <div className="field">
            <span id={`${id}-connection`} className="flabel">
              Connection
            </span>
            <Select
              labelId={`${id}-connection`}
              size="sm"
              value={source.connectionId}
              placeholder="Deleted connection"
              options={databases.map((each) => ({ value: each.id, label: each.name }))}
              more={connections}
              onChange={(connectionId) => onChange({ ...source, connectionId })}
            />
          </div>
          {typeof source.query === "string" && (
            <QueryField query={source.query} onRun={(query) => onChange({ ...source, query })} />
          )}
        </>
      )}
    </>
  );
}

function kindOf(source: Source | null): string {
  if (source === null) return "";
  if ("datasetId" in source) return source.datasetId;
  if ("consoleId" in source) return CONSOLE;
  return "metrics" in source ? METRIC : QUERY;
}

/** A query field that runs its query on request, not on each letter. */
function QueryField({ query, onRun }: { query: string; onRun: (query: string) => void }) {
  const id = useId();
  const [text, setText] = useState(query);
  // Undo restores an older query.
  useEffect(() => setText(query), [query]);
  const isNew = text !== query;
  return (
    <div className="field">
      <div className="row between">
        <label htmlFor={id}>Query</label>
        <button type="button" className="btn sm" disabled={!isNew || text.trim() === ""} onClick={() => onRun(text)}>
          <Play className="s" />
          Run
        </button>
      </div>
      <div className="input edit-text">
        <textarea
          id={id}
          value={text}
          spellCheck={false}
          autoCapitalize="off"
          placeholder="select placed_at, amount from orders"
          onChange={({ target }) => setText(target.value)}
          onBlur={() => isNew && text.trim() !== "" && onRun(text)}
          onKeyDown={(event) => {
            if (!(event.metaKey || event.ctrlKey)) return;
            // Saving includes the text in this field; the page itself handles the shortcut.
            const isSave = event.key.toLowerCase() === "s";
            if (event.key !== "Enter" && !isSave) return;
            if (!isSave) event.preventDefault();
            if (isNew && text.trim() !== "") onRun(text);
          }}
        />
      </div>
      <div className="help">Read-only. Ctrl+Enter to run.</div>
    </div>
  );
}
