"use client";

import { CircleCheck, CircleX, Plus, Sigma } from "lucide-react";
import Link from "next/link";
import { NavFind } from "@/components/layout/nav-find";
import { Page } from "@/components/layout/page";
import { useAddress, useOwnSteps } from "@/components/layout/use-address";
import { useWorkspace } from "@/components/layout/workspace-context";
import { isFound, isShown, toShow } from "@/components/metrics/show";
import { type MetricValue, useMetricRefresh, useMetrics, useMetricValues } from "@/components/metrics/use-metrics";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { NoneShown } from "@/components/ui/none-shown";
import { PersonCell } from "@/components/ui/person";
import { Select } from "@/components/ui/select";
import { useIsPhone, useNow } from "@/components/ui/use-browser";
import { deviceZone } from "@/lib/base/values/names";
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
import type { MetricSummary } from "@/lib/features/metrics/schema";
import { formatCount } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";
import { later } from "@/lib/platform/browser/load-again";
import "./metrics.css";

const loadNewMetric = later(() => import("@/components/metrics/new-metric"));
const NewMetric = lazyComponent(loadNewMetric, (module) => module.NewMetric);

const AGO_EVERY_MS = 30_000;
const HEADS = [
  "Metric",
  { name: "Value", isNumber: true },
  { name: "Change", isNumber: true },
  "Status",
  { name: "Owner", isOptional: true },
  { name: "Used by", isNumber: true },
  { name: "Updated", isOptional: true },
];

/** List of the workspace's metrics with their values. */
export function MetricList() {
  const { workspace, user } = useWorkspace();
  const metrics = useMetrics();
  const { query, put } = useAddress();
  const isPhone = useIsPhone();
  useOwnSteps();
  useMetricRefresh();
  const root = `/w/${workspace.slug}/metrics`;
  const files = metrics.data ?? [];
  const show = toShow(query.get("show"));
  const search = query.get("q") ?? "";
  const period = PERIODS.find((each) => each === query.get("period")) ?? "12m";
  const bounds = boundsOf(period, new Date());
  const timezone = deviceZone();
  const { values, isPending } = useMetricValues(
    files,
    bounds ? { ...bounds, compare: "previous", timezone } : { timezone },
  );
  const shown = files
    .filter((file) => isShown(file, show, user.id))
    .flatMap((file) => (file.metrics.length > 0 ? file.metrics : [""]).map((metric) => ({ file, metric })))
    .filter(({ file, metric }) => isFound(file, metric, search));
  const count = files.reduce((sum, file) => sum + file.metrics.length, 0);
  const add = (
    <button type="button" className="btn primary" onClick={() => put({ new: "1" }, true)}>
      <Plus className="s" />
      New metric
    </button>
  );
  return (
    <Page
      title="Metrics"
      actions={files.length > 0 && add}
      isWide
      {...(metrics.isSuccess && !metrics.hasNextPage && { count })}
    >
      {metrics.isPending && <ListSkeleton label="Loading metrics" />}
      {metrics.isError && !metrics.data && <LoadFailure error={metrics.error} onRetry={() => metrics.refetch()} />}
      {metrics.isSuccess && files.length === 0 && (
        <div className="empty blank">
          <span className="empty-mark">
            <Sigma />
          </span>
          <h2>No metrics yet</h2>
          <p>A metric defines a figure once, such as revenue. Everyone then gets the same number.</p>
          <div className="row">{add}</div>
        </div>
      )}
      {files.length > 0 && (
        <div className="metric-controls row">
          {isPhone && <NavFind label="Search metrics" root={root} />}
          <div className="metric-pick">
            <Select
              label="Period"
              size="sm"
              value={period}
              options={PERIODS.map((value) => ({ value, label: PERIOD_WORDS[value] }))}
              onChange={(next: MetricPeriod) => put({ period: next === "12m" ? null : next })}
            />
          </div>
        </div>
      )}
      {files.length > 0 && shown.length === 0 && <NoneShown noun="metric" search={search} href={root} />}
      {shown.length > 0 && (
        <ListTable label="Metrics" className="metrics" isTall columns={HEADS}>
          <tbody>
            {shown.map(({ file, metric }) => (
              <Row
                key={`${file.name}.${metric}`}
                file={file}
                metric={metric}
                value={values.get(`${file.name}.${metric}`) ?? null}
                isPending={isPending}
                href={`${root}/${file.name}${metric === "" ? "" : `?metric=${encodeURIComponent(metric)}`}`}
              />
            ))}
          </tbody>
        </ListTable>
      )}
      <LoadMore pages={metrics} label="Show more" className="btn more" />
      {query.get("new") !== null && <NewMetric files={files} onClose={() => put({ new: null })} />}
    </Page>
  );
}

type RowProps = {
  file: MetricSummary;
  /** "" for a file without metrics. */
  metric: string;
  value: MetricValue | null;
  isPending: boolean;
  href: string;
};

function Row({ file, metric, value, isPending, href }: RowProps) {
  const now = useNow(true, AGO_EVERY_MS);
  const at = new Date(file.updatedAt);
  const failure = file.error ?? (value && "error" in value ? value.error : null);
  const figure = value && "now" in value ? value : null;
  const percent = figure && changeOf(figure.now, figure.before);
  return (
    <tr>
      <td>
        <Link className="b5 trunc metric-name" href={href}>
          {metric === "" ? file.name : toMetricTitle(metric)}
        </Link>
        <div className={failure === null ? "xs t3 trunc" : "xs metric-failure"} title={failure ?? undefined}>
          {failure ?? (file.description || file.title)}
        </div>
      </td>
      <td className="r" data-label="Value">
        {figure ? (
          <b className="b6">{formatMetric(figure.now)}</b>
        ) : (
          <span className="t3">{isPending && failure === null ? "…" : "no value"}</span>
        )}
      </td>
      <td className="r t2" data-label="Change">
        {percent === null ? "" : formatChange(percent)}
      </td>
      <td data-label="Status">
        {file.error === null ? (
          <span className="row metric-status good">
            <CircleCheck className="s" />
            Valid
          </span>
        ) : (
          <span className="row metric-status bad">
            <CircleX className="s" />
            Broken
          </span>
        )}
      </td>
      <td className="opt" data-label="Owner">
        <PersonCell id={file.owner.id} name={file.owner.name} />
      </td>
      <td className="r t2" data-label="Used by">
        {file.usedBy.length === 0 ? "none" : formatCount(file.usedBy.length)}
      </td>
      <td className="opt t2" data-label="Updated" title={formatStamp(at)}>
        {now === null ? formatStamp(at) : formatAgo(at, new Date(now))}
      </td>
    </tr>
  );
}
