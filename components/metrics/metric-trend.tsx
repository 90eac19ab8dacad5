"use client";

import { useMemo } from "react";
import { Chart, useHidden } from "@/components/chart/chart";
import { toChartData } from "@/lib/base/charts/data";
import { zoneOf } from "@/lib/base/charts/moments";
import { toTable } from "@/lib/base/charts/rows-fields";
import type { ChartSettings } from "@/lib/base/charts/settings";
import type { CellLook } from "@/lib/base/values/cell-look";
import { isNumericField } from "@/lib/base/values/cell-text";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";

type MetricTrendProps = {
  fields: readonly ResultField[];
  rows: readonly ResultRow[];
  /** Column of the metric; the earlier period is in `<name>_previous`. */
  name: string;
  look: CellLook;
  isTable: boolean;
};

/** Line of a metric over time, with the earlier period dashed. */
export function MetricTrend({ fields, rows, name, look, isTable }: MetricTrendProps) {
  const zone = zoneOf(look);
  const { data, settings } = useMemo(() => {
    const columns = [name, `${name}_previous`].filter((column) =>
      fields.some((field) => field.name === column && isNumericField(field)),
    );
    const settings: ChartSettings = {
      ...{ kind: "line", across: "time", colour: null, stack: "apart", sort: "given", top: null },
      up: columns.map((column) => ({ of: "sum", column })),
    };
    if (columns.length === 0) return { data: null, settings };
    const read = toChartData(toTable(fields, rows), null, settings, zone);
    const series = read.series.map((each, index) => ({
      ...each,
      name: index === 0 ? "This period" : "Previous",
      ...(index > 0 && { isBefore: true }),
    }));
    // A period that has not ended has no values yet.
    return { data: { ...read, series, noValue: 0 }, settings };
  }, [fields, rows, name, zone]);
  const [hidden, setHidden] = useHidden(name);
  if (data === null) return <p className="chart-said">The metric is not a number.</p>;
  return (
    <div className="metric-trend">
      <Chart data={data} settings={settings} look={look} isTable={isTable} hidden={hidden} onHidden={setHidden} />
    </div>
  );
}
