"use client";

import { FirstRowsNotice } from "@/components/dashboards/first-rows-notice";
import { WidgetChart } from "@/components/dashboards/kinds/chart/widget-chart";
import { WidgetFigure } from "@/components/dashboards/kinds/kpi/widget-figure";
import { WidgetTable } from "@/components/dashboards/kinds/table/widget-table";
import type { WidgetPress } from "@/components/dashboards/widget-press";
import { useFrame } from "@/components/layout/use-frame";
import { lazyComponent } from "@/components/ui/lazy-component";
import { Notice } from "@/components/ui/notice";
import { withPageGrain } from "@/lib/base/charts/widget-period";
import type { ResultRow } from "@/lib/base/values/json-rows";
import type { Widget, WidgetData } from "@/lib/features/dashboards/browser/client";
import type { Period } from "@/lib/features/dashboards/browser/period-words";
import { later } from "@/lib/platform/browser/load-again";
import "./widgets.css";

// A page of charts loads no Markdown parser.
const loadMarkdown = later(() => import("@/components/markdown/markdown"));
const Markdown = lazyComponent(loadMarkdown, (module) => module.Markdown, WidgetSkeleton);

type WidgetBodyProps = {
  widget: Pick<Widget, "id" | "kind" | "title" | "spec">;
  /** Data from the server; undefined while it is pending. A text needs none. */
  data: WidgetData | undefined;
  /** Omitted where nothing is clickable. */
  press?: WidgetPress | undefined;
  /** Time grain and comparison of the widget's page. */
  period?: Period | undefined;
};

/** The content of one widget, or the reason why it is empty. An error stays inside its own widget. */
export function WidgetBody({ widget, data, press, period }: WidgetBodyProps) {
  if (widget.kind === "text") {
    const text = String(widget.spec.text ?? "");
    return text.trim() === "" ? (
      <p className="widget-said">No text</p>
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
      // biome-ignore lint/a11y/useSemanticElements: no fields stand in it
      <div className="widget-text" role="group" aria-label="Text" tabIndex={0}>
        <Markdown text={text} />
      </div>
    );
  }
  if (data === undefined) return <WidgetSkeleton />;
  const isNothing = data.cachedAt === null || data.fields.length === 0;
  if (isNothing && data.error !== undefined) {
    return (
      <div className="widget-said">
        <Notice kind={data.firstRows === undefined ? "bad" : "warn"}>{data.error}</Notice>
      </div>
    );
  }
  return (
    <>
      <WidgetRows widget={widget} data={data} press={press} period={period} />
      <FirstRowsNotice firstRows={data.firstRows} />
      {data.error !== undefined && (
        <div className="widget-old">
          <Notice kind="warn">Showing older data. {data.error}</Notice>
        </div>
      )}
    </>
  );
}

function WidgetRows({
  widget: { kind, title, spec: own },
  data,
  press,
  period = {},
}: WidgetBodyProps & { data: WidgetData }) {
  const { digits, times } = useFrame().frame;
  const { fields, truncated } = data;
  const spec = withPageGrain(own, period.grain);
  const rows = data.rows as ResultRow[];
  const look = { digits, times };
  if (rows.length === 0) return <p className="widget-said">No data for these filters</p>;
  if (kind === "kpi") return <WidgetFigure spec={spec} data={data} look={look} compare={period.compare} />;
  if (kind === "table") {
    return (
      <WidgetTable
        {...{ title, spec, fields, rows, look, press }}
        isCut={truncated}
        before={data.before}
        compare={period.compare}
      />
    );
  }
  return (
    <>
      <WidgetChart
        title={title}
        spec={spec}
        fields={fields}
        rows={rows}
        before={data.before?.rows as ResultRow[] | undefined}
        digits={digits}
        times={times}
        press={press}
      />
      {/* The user asked for the first ten, so no notice. */}
      {truncated && spec.limit === undefined && <p className="widget-cut xs t3">Showing part of the data.</p>}
    </>
  );
}

/** A placeholder for the chart. It appears after a moment, so that a quick response does not flicker. */
function WidgetSkeleton() {
  return (
    <div className="widget-skeleton" role="status" aria-label="Loading data">
      <i className="bone" />
      <i className="bone" />
      <i className="bone" />
    </div>
  );
}
