"use client";

import { useMetricNames } from "@/components/metrics/use-metrics";
import { LabelledSelect } from "@/components/ui/labelled-select";
import { METRIC_GRAINS, type MetricGrain } from "@/lib/base/sql/dialects/metric-sql";
import type { Source } from "@/lib/features/dashboards/schema";
import { toMetricTitle } from "@/lib/features/metrics/browser/words";

type MetricsSource = Extract<Source, { metrics: string[] }>;

/** Dimension that stands for the metric's own time field. */
const TIME = "time";
const NONE = "\u0000none";

/** Fields of a source that asks for a metric, by one dimension. Other parts of the question are kept. */
export function MetricSource({ source, onChange }: { source: MetricsSource; onChange: (source: Source) => void }) {
  const names = useMetricNames();
  const [dimension] = source.dimensions ?? [];
  const chosen = names.find(({ name }) => name === source.metrics[0]);
  const by = (name: string, grain?: MetricGrain) => {
    const rest = (source.dimensions ?? []).slice(1);
    const { dimensions: _, ...question } = source;
    onChange(name === NONE ? question : { ...question, dimensions: [{ name, ...(grain && { grain }) }, ...rest] });
  };
  return (
    <>
      <LabelledSelect
        label="Metric"
        value={source.metrics[0] ?? ""}
        placeholder="Deleted metric"
        options={names.map(({ name, label, file }) => ({ value: name, label, note: file.name }))}
        onChange={(metric) => onChange({ metrics: [metric, ...source.metrics.slice(1)] })}
      />
      <LabelledSelect
        label="Dimension"
        value={dimension?.name ?? NONE}
        options={[
          { value: NONE, label: "None" },
          { value: TIME, label: "Time" },
          ...(chosen?.file.dimensions ?? []).map((name) => ({ value: name, label: name })),
        ]}
        onChange={(name) => by(name, name === TIME ? "month" : undefined)}
      />
      {dimension?.grain && (
        <LabelledSelect
          label="Grain"
          value={dimension.grain}
          options={METRIC_GRAINS.map((grain) => ({ value: grain, label: toMetricTitle(grain) }))}
          onChange={(grain) => by(dimension.name, grain)}
        />
      )}
    </>
  );
}
