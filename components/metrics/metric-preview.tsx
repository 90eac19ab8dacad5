"use client";

import { ChartLine, Table2, TrendingDown, TrendingUp } from "lucide-react";
import { useMemo, useState } from "react";
import { useFrame } from "@/components/layout/use-frame";
import { useMetricAnswer } from "@/components/metrics/use-metrics";
import { lazyComponent } from "@/components/ui/lazy-component";
import { Notice } from "@/components/ui/notice";
import { RowsTable } from "@/components/ui/rows-table";
import { Segments } from "@/components/ui/segments";
import { Select } from "@/components/ui/select";
import { toMessage } from "@/components/ui/to-message";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { deviceZone } from "@/lib/base/values/names";
import type { MetricAnswer, MetricQuestion } from "@/lib/features/metrics/browser/client";
import {
  boundsOf,
  changeOf,
  formatChange,
  formatMetric,
  type MetricPeriod,
  PERIOD_WORDS,
  PERIODS,
  toMetricTitle,
} from "@/lib/features/metrics/browser/words";
import { formatCountOf } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";

const loadTrend = later(() => import("@/components/metrics/metric-trend"));
const MetricTrend = lazyComponent(
  loadTrend,
  (module) => module.MetricTrend,
  () => <div className="metric-trend" aria-busy="true" />,
);

const GRAINS = [
  { value: "day", label: "Day" },
  { value: "week", label: "Week" },
  { value: "month", label: "Month" },
] as const;
type Grain = (typeof GRAINS)[number]["value"];
const COMPARISONS = [
  { value: "none", label: "No comparison" },
  { value: "previous", label: "Previous period" },
  { value: "year", label: "Same period last year" },
] as const;
type Comparison = (typeof COMPARISONS)[number]["value"];
const NO_BREAKDOWN = "";
/** Points of the trend: three years of days. */
const POINTS_MAX = 1_100;
/** Greatest values of a dimension that are listed. */
const VALUES_MAX = 20;

type MetricPreviewProps = {
  /** Null if the file defines none. */
  metric: string | null;
  metrics: readonly string[];
  /** `dataset.field` of each field. */
  dimensions: readonly string[];
  /** The text in the editor. */
  content: string;
  /** Dimension that the value is broken down by; null for none. */
  breakdown: string | null;
  onMetric: (metric: string) => void;
  onBreakdown: (dimension: string | null) => void;
};

/** Live values of a metric: the total, its trend, and a breakdown by one dimension. */
export function MetricPreview(props: MetricPreviewProps) {
  const { metric, metrics, dimensions, content, breakdown, onMetric, onBreakdown } = props;
  const [grain, setGrain] = useState<Grain>("month");
  const [period, setPeriod] = useState<MetricPeriod>("12m");
  const [comparison, setComparison] = useState<Comparison>("previous");
  const [isTable, setIsTable] = useState(false);
  const bounds = boundsOf(period, new Date());
  const name = metric ?? "";
  const base: MetricQuestion = {
    metrics: [name],
    content,
    ...bounds,
    timezone: deviceZone(),
    ...(bounds && comparison !== "none" && { compare: comparison }),
  };
  const by = breakdown !== null && dimensions.includes(breakdown) ? breakdown : null;
  const value = useMetricAnswer(metric === null ? null : base);
  const trend = useMetricAnswer(
    metric === null ? null : { ...base, dimensions: [{ name: "time", grain }], limit: POINTS_MAX },
  );
  const { compare: _, ...plain } = base;
  const broken = useMetricAnswer(
    metric === null || by === null
      ? null
      : { ...plain, dimensions: [{ name: by }], orderBy: [{ by: name, order: "desc" }], limit: VALUES_MAX },
  );
  // An invalid text keeps the last values, so that the page does not jump while someone types.
  const isInvalid = isOfText(value.error);
  const [shown, shownTrend] = [useLast(value.data), useLast(trend.data)];
  const row = shown?.rows?.[0];
  const now = row?.[name];
  const before = row?.[`${name}_previous`];
  const percent = changeOf(now, before);
  // The answer to the question before may be about another metric.
  const isWaiting = value.isPending || (row !== undefined && !(name in row));
  const hasTrend = shownTrend?.fields?.some((field) => field.name === name) === true;
  return (
    <section className="metric-card metric-preview" aria-label="Preview" aria-busy={value.isFetching}>
      <div className="row metric-controls">
        {metrics.length > 1 && metric !== null && (
          <div className="metric-pick">
            <Select
              label="Metric"
              size="sm"
              value={metric}
              options={metrics.map((each) => ({ value: each, label: toMetricTitle(each) }))}
              onChange={onMetric}
            />
          </div>
        )}
        <Segments label="Grain" value={grain} options={GRAINS} onChange={setGrain} />
        <div className="metric-pick">
          <Select
            label="Period"
            size="sm"
            value={period}
            options={PERIODS.map((each) => ({ value: each, label: PERIOD_WORDS[each] }))}
            onChange={setPeriod}
          />
        </div>
        <div className="metric-pick wide">
          <Select
            label="Comparison"
            size="sm"
            value={bounds ? comparison : "none"}
            options={[...COMPARISONS]}
            isDisabled={bounds === null}
            onChange={setComparison}
          />
        </div>
        <div className="metric-pick wide">
          <Select
            label="Break down by"
            size="sm"
            value={by ?? NO_BREAKDOWN}
            options={[
              { value: NO_BREAKDOWN, label: "No breakdown" },
              ...dimensions.map((each) => ({ value: each, label: `By ${each}` })),
            ]}
            onChange={(next) => onBreakdown(next === NO_BREAKDOWN ? null : next)}
          />
        </div>
      </div>
      {metric === null && <p className="t2 metric-none">The file defines no metric yet. Add one under metrics.</p>}
      {value.isError && !isInvalid && <Notice kind="bad">{toMessage(value.error)}</Notice>}
      {metric !== null && (!value.isError || isInvalid) && (
        <div
          className={
            isInvalid || value.isPlaceholderData || trend.isPlaceholderData ? "metric-now stale" : "metric-now"
          }
        >
          <div className="metric-figure">
            <p className="metric-value num">{isWaiting ? "…" : formatMetric(now)}</p>
            {percent !== null && (
              <p className="row metric-change">
                {percent < 0 ? <TrendingDown className="s" /> : <TrendingUp className="s" />}
                <b className="b6">{formatChange(percent)}</b>
                <span className="t2">from {formatMetric(before)}</span>
              </p>
            )}
            <p className="xs t3">{PERIOD_WORDS[period]}</p>
            {hasTrend && (
              <button
                type="button"
                className="btn sm ghost metric-look"
                aria-pressed={isTable}
                onClick={() => setIsTable(!isTable)}
              >
                {isTable ? <ChartLine className="s" /> : <Table2 className="s" />}
                {isTable ? "View as chart" : "View as table"}
              </button>
            )}
          </div>
          {trend.isError && !isInvalid ? (
            <p className="t2 metric-none">{toMessage(trend.error)}</p>
          ) : (
            hasTrend && shownTrend && <Trend answer={shownTrend} name={name} isTable={isTable} />
          )}
        </div>
      )}
      {by !== null && (
        <div className="metric-breakdown">
          <h2>By {toMetricTitle(by.slice(by.indexOf(".") + 1)).toLowerCase()}</h2>
          {broken.isError && !isInvalid && <Notice kind="bad">{toMessage(broken.error)}</Notice>}
          {broken.data?.fields && (
            <>
              <div className="metric-rows">
                <RowsTable label={`${name} by ${by}`} fields={broken.data.fields} rows={broken.data.rows ?? []} />
              </div>
              <p className="xs t3" role="status">
                {broken.data.rows?.length === VALUES_MAX
                  ? `The ${VALUES_MAX} greatest values`
                  : formatCountOf(broken.data.rows?.length ?? 0, "value")}
              </p>
            </>
          )}
        </div>
      )}
    </section>
  );
}

/** Returns a value, or the last one while there is none. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}

/** Whether the editor shows the problem at its line already. */
function isOfText(error: unknown): boolean {
  const details = typeof error === "object" && error !== null && "details" in error ? error.details : null;
  return Array.isArray(details) && details.some((each) => typeof each?.line === "number");
}

function Trend({ answer, name, isTable }: { answer: MetricAnswer; name: string; isTable: boolean }) {
  const { digits, times } = useFrame().frame;
  const look = useMemo(() => ({ digits, times }), [digits, times]);
  const rows = (answer.rows ?? []) as ResultRow[];
  // Some databases return days as text.
  const fields = useMemo(
    () =>
      (answer.fields ?? []).map((field): ResultField => (field.name === "time" ? { ...field, type: "date" } : field)),
    [answer.fields],
  );
  return <MetricTrend fields={fields} rows={rows} name={name} look={look} isTable={isTable} />;
}
