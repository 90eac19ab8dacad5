import type { KindView } from "@/components/dashboards/kinds/kind-view";
import type { ResultRow } from "@/lib/base/values/json-rows";
import { WidgetChart } from "./widget-chart";

export const chartView: KindView = {
  Body: ({ title, spec, data, rows, look, press, period }) => (
    <>
      <WidgetChart
        {...{ title, spec, rows, press }}
        {...look}
        fields={data.fields}
        before={data.before?.rows as ResultRow[] | undefined}
        compare={data.before && period.compare}
      />
      {/* The user asked for the first ten, so no notice. */}
      {data.truncated && spec.limit === undefined && <p className="widget-cut xs t3">Showing part of the data.</p>}
    </>
  ),
  toPictureSpec: (spec) => spec,
};
