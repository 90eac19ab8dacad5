"use client";

import { useMemo } from "react";
import { FirstRowsNotice } from "@/components/dashboards/first-rows-notice";
import type { ShownWidget } from "@/components/dashboards/kinds/kind-view";
import { KIND_VIEWS } from "@/components/dashboards/kinds/registry";
import type { WidgetPress } from "@/components/dashboards/widget-press";
import { WidgetSkeleton } from "@/components/dashboards/widget-skeleton";
import { useFrame } from "@/components/layout/use-frame";
import { Notice } from "@/components/ui/notice";
import type { ResultRow } from "@/lib/base/values/json-rows";
import type { Period } from "@/lib/features/dashboards/browser/period-words";
import { toShownWidget } from "@/lib/features/dashboards/browser/widget-click";
import type { WidgetData } from "@/lib/features/dashboards/schema";
import "./widgets.css";

type WidgetBodyProps = {
  widget: ShownWidget;
  /** Data from the server; undefined while it is pending. A text needs none. */
  data: WidgetData | undefined;
  /** Omitted where nothing is clickable. */
  press?: WidgetPress | undefined;
  /** Time grain and comparison of the widget's page. */
  period?: Period | undefined;
};

/** The content of one widget, or the reason why it is empty. An error stays inside its own widget. */
export function WidgetBody({ widget, data, press, period }: WidgetBodyProps) {
  const { Static } = KIND_VIEWS[widget.kind];
  if (Static) return <Static spec={widget.spec} />;
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

function WidgetRows({ widget, data, press, period = {} }: WidgetBodyProps & { data: WidgetData }) {
  const { digits, times } = useFrame().frame;
  const { Body } = KIND_VIEWS[widget.kind];
  const shown = useMemo(() => toShownWidget(widget.spec, data, period.grain), [widget.spec, data, period.grain]);
  const rows = data.rows as ResultRow[];
  if (rows.length === 0 || !Body) return <p className="widget-said">No data for these filters</p>;
  return <Body {...{ title: widget.title, ...shown, rows, period, press }} look={{ digits, times }} />;
}
